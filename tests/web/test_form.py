"""The form while it waits for an response, and ids that are not what they seemed."""

from playwright.sync_api import expect

from tests.service import Service
from tests.web.browser import OpenPage
from tests.web.page_driver import PageDriver, create_plants, list_plants

# As WebKit does it, where this page was left for another and comes back as it was.
_COME_BACK = """() => {
    dispatchEvent(new PageTransitionEvent("pageshow", {persisted: true}));
    for (const input of document.querySelectorAll("input")) input.value = "";
}"""


def opened(open_page: OpenPage, owner: str) -> PageDriver:
    driver = open_page().sign_in(owner)
    expect(driver["#add-id"]).not_to_have_value("")
    return driver


def test_what_is_typed_meanwhile_stays(open_page: OpenPage, owner: str) -> None:
    driver = opened(open_page, owner)
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


def test_what_is_typed_is_there_when_one_comes_back(open_page: OpenPage, owner: str) -> None:
    driver = opened(open_page, owner)
    driver["#find"].fill("ferns")
    driver["#add-name"].fill("Fern")
    driver.evaluate(_COME_BACK)
    driver.settle()
    expect(driver["#find"]).to_have_value("ferns")
    expect(driver["#add-name"]).to_have_value("Fern")
    expect(driver["#add-id"]).to_have_value("1")


def test_enter_held_adds_one(open_page: OpenPage, service: Service, owner: str) -> None:
    driver = opened(open_page, owner)
    driver["#add-name"].fill("Fern")
    driver.page.keyboard.down("Enter")
    driver.assert_shows("Added Fern", "#add-done")
    driver.repeat_key("Enter")
    driver.settle()
    driver.assert_shows("Added Fern", "#add-done")
    for field in ("name", "tag", "id"):
        expect(driver[f"#add-{field}-reason"]).to_be_hidden()
    assert len(list_plants(service, owner)) == 1


def test_a_proposed_id_that_was_taken_is_proposed_no_more(
    open_page: OpenPage, service: Service, owner: str
) -> None:
    create_plants(service, owner, {"id": 1, "name": "Fern"})
    driver = opened(open_page, owner)
    expect(driver["#add-id"]).to_have_value("2")
    create_plants(service, owner, {"id": 2, "name": "Somebody else's"})
    driver.submit_plant("Aloe")
    driver.assert_shows("the id 2 belongs to another plant", "#add-id-reason")
    expect(driver["#add-id"]).to_have_value("3")
    expect(driver["#add-name"]).to_have_value("Aloe")
    driver.page.keyboard.press("Enter")
    driver.assert_shows("Added Aloe, id 3", "#add-done")
    assert len(list_plants(service, owner)) == 3


def test_minus_nought_is_nought(open_page: OpenPage, service: Service, owner: str) -> None:
    driver = opened(open_page, owner)
    driver.add_plant("Fern", plant_id="-0")
    driver.assert_count("1 plant")
    expect(driver["#rows .id"]).to_have_text(["0"])
    driver["#rows .remove"].click()
    driver.assert_shows("Deleted Fern", "#toasts")
    assert list_plants(service, owner) == []
