"""Adding plants: the next id, Enter, and the service's own words beside the field."""

import pytest
from playwright.sync_api import Route, expect

from tests.features.page.page_driver import PageDriver

# The field that a refusal is about, what was typed, and the words beside the field.
REFUSED: tuple[tuple[str, dict[str, str], str], ...] = (
    ("id", {"id": "1", "name": "X"}, "the id 1 belongs to another plant of this store"),
    ("id", {"id": "1"}, "an identical plant with the id 1 is already in this store"),
    ("id", {"id": "one"}, "id must be a whole number, such as 7"),
    ("name", {"name": ""}, "name is missing"),
    ("tag", {"tag": "y" * 257}, "tag must be 0 to 256 characters long, not 257"),
)
# As WebKit does it, where this page was left for another and comes back as it was.
_COME_BACK = """() => {
    dispatchEvent(new PageTransitionEvent("pageshow", {persisted: true}));
    for (const input of document.querySelectorAll("input")) input.value = "";
}"""


@pytest.fixture
def empty(driver: PageDriver) -> PageDriver:
    """The page of an empty store, which proposes an id."""
    driver.sign_in()
    expect(driver["#add-id"]).to_have_value("1")
    return driver


def test_enter_adds_and_makes_ready_for_the_next(empty: PageDriver) -> None:
    empty["#add-name"].focus()
    for number, name in enumerate(("Fern", "Aloe", "Basil"), start=1):
        empty.page.keyboard.type(name)
        empty.page.keyboard.press("Enter")
        empty.assert_shows(f"Added {name}, id {number}", "#add-done")
        expect(empty["#add-name"]).to_be_focused()
        expect(empty["#add-name"]).to_have_value("")
        expect(empty["#add-id"]).to_have_value(str(number + 1))
    empty.assert_count("3 plants")
    assert [one["name"] for one in empty.list_plants()] == ["Fern", "Aloe", "Basil"]


def test_one_who_adds_before_the_list_is_there_gets_an_id_too(driver: PageDriver) -> None:
    driver.create_plants({"id": 1, "name": "Fern"})
    held = driver.hold("**/plants?*", responses=True)
    driver.sign_in()
    driver.submit_plant("Aloe")
    driver.assert_shows("Adding", "#add-button")
    held.release()
    driver.assert_shows("Added Aloe, id 2", "#add-done")


def test_an_id_of_ones_own_takes_its_place_in_the_list(driver: PageDriver) -> None:
    driver.create_plants({"id": 1, "name": "One"}, {"id": 9007199254740993, "name": "Great"})
    driver.sign_in()
    expect(driver["#add-id"]).to_have_value("9007199254740994")
    driver.add_plant("Between", "herb", "9007199254740992")
    driver.add_plant("Next")
    driver.add_plant("Nought", plant_id="-0")
    assert driver.names() == ["Nought", "One", "Between", "Great", "Next"]
    driver["#rows .remove"].first.click()
    driver.assert_shows("Deleted Nought", "#toasts")
    assert driver.list_plants()[1:3] == [
        {"id": 9007199254740992, "name": "Between", "tag": "herb"},
        {"id": 9007199254740993, "name": "Great"},
    ]
    driver.assert_shows("herb", "#tag-bars")


def test_a_refusal_stands_beside_its_field(driver: PageDriver) -> None:
    driver.create_plants({"id": 1, "name": "Fern"})
    driver.sign_in()
    expect(driver["#add-id"]).to_have_value("2")
    for field, typed, words in REFUSED:
        texts = {"name": "Fern", "tag": "", "id": "2"} | typed
        driver.submit_plant(texts["name"], texts["tag"], texts["id"])
        driver.assert_shows(words, f"#add-{field}-reason")
        expect(driver["#announcements"]).to_contain_text(words)
        expect(driver[f"#add-{field}"]).to_be_focused()
        expect(driver[f"#add-{field}"]).to_have_attribute("aria-invalid", "true")
        for other, text in texts.items():
            expect(driver[f"#add-{other}"]).to_have_value(text)
        driver[f"#add-{field}"].fill("3")
        expect(driver[f"#add-{field}-reason"]).to_be_hidden()
    assert len(driver.list_plants()) == 1


def test_after_a_lost_response_a_plant_is_added_once(empty: PageDriver) -> None:
    def lose_response(route: Route) -> None:
        route.fetch()
        route.abort()

    empty.route("**/plants", lose_response)
    empty.submit_plant("Fern")
    empty.assert_shows("The server cannot be reached", "#offline")
    expect(empty["#add-name"]).to_have_value("Fern")
    empty.page.unroute("**/plants")
    empty.assert_shows("Added Fern, id 1", "#add-done")
    assert empty.list_plants() == [{"id": 1, "name": "Fern"}]


def test_what_is_typed_meanwhile_is_for_the_next_plant(empty: PageDriver) -> None:
    held = empty.hold("**/plants")
    empty.submit_plant("Fern")
    empty.assert_shows("Adding…", "#add-button")
    empty["#add-tag"].press("Enter")
    empty["#add-tag"].fill("herb")
    empty["#add-name"].fill("Basil, the ne")
    held.release()
    empty.assert_shows("Added Fern, id 1", "#add-done")
    assert len(held.routes) == 1
    expect(empty["#add-id"]).to_have_value("2")
    expect(empty["#add-name"]).to_be_focused()
    empty.page.keyboard.type("xt")
    expect(empty["#add-name"]).to_have_value("Basil, the next")
    expect(empty["#add-tag"]).to_have_value("herb")
    empty["#find"].fill("ferns")
    empty.evaluate(_COME_BACK)
    empty.settle()
    for field, text in {"#find": "ferns", "#add-name": "Basil, the next", "#add-id": "2"}.items():
        expect(empty[field]).to_have_value(text)


def test_enter_held_adds_one(empty: PageDriver) -> None:
    empty["#add-name"].fill("Fern")
    empty.page.keyboard.down("Enter")
    empty.assert_shows("Added Fern", "#add-done")
    empty.repeat_key("Enter")
    empty.settle()
    empty.assert_shows("Added Fern", "#add-done")
    for field in ("name", "tag", "id"):
        expect(empty[f"#add-{field}-reason"]).to_be_hidden()
    assert len(empty.list_plants()) == 1


def test_a_proposed_id_that_was_taken_is_proposed_no_more(driver: PageDriver) -> None:
    driver.create_plants({"id": 1, "name": "Fern"})
    driver.mute().sign_in()
    expect(driver["#add-id"]).to_have_value("2")
    driver.create_plants({"id": 2, "name": "Somebody else's"})
    driver.submit_plant("Aloe")
    driver.assert_shows("the id 2 belongs to another plant", "#add-id-reason")
    expect(driver["#add-id"]).to_have_value("3")
    expect(driver["#add-name"]).to_have_value("Aloe")
    driver.page.keyboard.press("Enter")
    driver.assert_shows("Added Aloe, id 3", "#add-done")
    assert len(driver.list_plants()) == 3
