"""Adding plants: the next id, Enter, and the service's own words beside the field."""

from playwright.sync_api import Route, expect

from tests.web.page_driver import PageDriver

TAKEN = "the id 1 belongs to another plant of this store"
STORED = "an identical plant with the id 1 is already in this store"
NOT_WHOLE = "id must be a whole number, such as 7"
# The field that a refusal is about, what was typed, and the words beside the field.
REFUSED: tuple[tuple[str, dict[str, str], str], ...] = (
    ("id", {"id": "1", "name": "X"}, TAKEN),
    ("id", {"id": "1", "name": "Fern"}, STORED),
    ("id", {"id": "one"}, NOT_WHOLE),
    ("id", {"id": "1.5"}, NOT_WHOLE),
    ("id", {"id": "007"}, NOT_WHOLE),
    ("id", {"id": " "}, "id is missing"),
    ("id", {"id": str(2**63)}, "id must be from -9223372036854775808"),
    ("name", {"name": ""}, "name is missing"),
    ("name", {"name": "x" * 257}, "name must be 1 to 256 characters long, not 257"),
    ("name", {"name": "  "}, "name must not be only white space"),
    ("tag", {"tag": "y" * 65}, "tag must be 1 to 64 characters long, not 65"),
    ("tag", {"tag": " "}, "tag must not be only white space"),
)


def test_enter_adds_and_makes_ready_for_the_next(driver: PageDriver) -> None:
    driver.sign_in()
    expect(driver["#add-id"]).to_have_value("1")
    driver["#add-name"].focus()
    for number, name in enumerate(("Fern", "Aloe", "Basil"), start=1):
        driver.page.keyboard.type(name)
        driver.page.keyboard.press("Enter")
        driver.assert_shows(f"Added {name}, id {number}", "#add-done")
        expect(driver["#add-name"]).to_be_focused()
        expect(driver["#add-name"]).to_have_value("")
        expect(driver["#add-id"]).to_have_value(str(number + 1))
    driver.assert_count("3 plants")
    assert [one["name"] for one in driver.list_plants()] == ["Fern", "Aloe", "Basil"]


def test_an_id_of_ones_own_takes_its_place_in_the_list(driver: PageDriver) -> None:
    driver.create_plants({"id": 1, "name": "One"}, {"id": 9007199254740993, "name": "Great"})
    driver.sign_in()
    expect(driver["#add-id"]).to_have_value("9007199254740994")
    driver.add_plant("Between", "herb", "9007199254740992")
    driver.add_plant("Next")
    assert driver.names() == ["One", "Between", "Great", "Next"]
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
        texts = {"name": "X", "tag": "", "id": "2"} | typed
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


def test_after_a_lost_response_a_plant_is_added_once(driver: PageDriver) -> None:
    driver.sign_in()
    expect(driver["#add-id"]).to_have_value("1")

    def lose_response(route: Route) -> None:
        route.fetch()
        route.abort()

    driver.page.route("**/plants", lose_response)
    driver.submit_plant("Fern")
    driver.assert_shows("The server cannot be reached", "#offline")
    expect(driver["#add-name"]).to_have_value("Fern")
    driver.page.unroute("**/plants")
    driver.assert_shows("Added Fern, id 1", "#add-done")
    assert driver.list_plants() == [{"id": 1, "name": "Fern"}]


def test_pressing_enter_twice_adds_once(driver: PageDriver) -> None:
    driver.sign_in()
    expect(driver["#add-id"]).to_have_value("1")
    held = driver.hold("**/plants")
    driver.submit_plant("Fern")
    driver.assert_shows("Adding…", "#add-button")
    driver["#add-tag"].press("Enter")
    held.release()
    driver.assert_shows("Added Fern", "#add-done")
    assert len(held.routes) == 1
    assert len(driver.list_plants()) == 1
