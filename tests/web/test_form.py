"""The form while it waits for an response, and ids that are not what they seemed."""

import pytest
from playwright.sync_api import expect

from tests.web.page_driver import PageDriver

# As WebKit does it, where this page was left for another and comes back as it was.
_COME_BACK = """() => {
    dispatchEvent(new PageTransitionEvent("pageshow", {persisted: true}));
    for (const input of document.querySelectorAll("input")) input.value = "";
}"""


@pytest.fixture
def driver(driver: PageDriver) -> PageDriver:
    """The page of an empty store, which proposes an id."""
    driver.sign_in()
    expect(driver["#add-id"]).to_have_value("1")
    return driver


def test_what_is_typed_meanwhile_stays(driver: PageDriver) -> None:
    held = driver.hold("**/plants")
    driver.submit_plant("Fern")
    driver.assert_shows("Adding…", "#add-button")
    driver["#add-tag"].fill("herb")
    driver["#add-name"].fill("Basil, the ne")
    held.release()
    driver.assert_shows("Added Fern, id 1", "#add-done")
    expect(driver["#add-id"]).to_have_value("2")
    expect(driver["#add-name"]).to_be_focused()
    driver.page.keyboard.type("xt")
    expect(driver["#add-name"]).to_have_value("Basil, the next")
    expect(driver["#add-tag"]).to_have_value("herb")


def test_what_is_typed_is_there_when_one_comes_back(driver: PageDriver) -> None:
    driver["#find"].fill("ferns")
    driver["#add-name"].fill("Fern")
    driver.evaluate(_COME_BACK)
    driver.settle()
    expect(driver["#find"]).to_have_value("ferns")
    expect(driver["#add-name"]).to_have_value("Fern")
    expect(driver["#add-id"]).to_have_value("1")


def test_enter_held_adds_one(driver: PageDriver) -> None:
    driver["#add-name"].fill("Fern")
    driver.page.keyboard.down("Enter")
    driver.assert_shows("Added Fern", "#add-done")
    driver.repeat_key("Enter")
    driver.settle()
    driver.assert_shows("Added Fern", "#add-done")
    for field in ("name", "tag", "id"):
        expect(driver[f"#add-{field}-reason"]).to_be_hidden()
    assert len(driver.list_plants()) == 1


def test_a_proposed_id_that_was_taken_is_proposed_no_more(driver: PageDriver) -> None:
    driver.add_plant("Fern")
    driver.open_without_stream()
    driver.create_plants({"id": 2, "name": "Somebody else's"})
    driver.submit_plant("Aloe")
    driver.assert_shows("the id 2 belongs to another plant", "#add-id-reason")
    expect(driver["#add-id"]).to_have_value("3")
    expect(driver["#add-name"]).to_have_value("Aloe")
    driver.page.keyboard.press("Enter")
    driver.assert_shows("Added Aloe, id 3", "#add-done")
    assert len(driver.list_plants()) == 3


def test_minus_nought_is_nought(driver: PageDriver) -> None:
    driver.add_plant("Fern", plant_id="-0")
    driver.assert_count("1 plant")
    expect(driver["#rows .id"]).to_have_text(["0"])
    driver["#rows .remove"].click()
    driver.assert_shows("Deleted Fern", "#toasts")
    assert driver.list_plants() == []
