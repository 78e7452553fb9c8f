"""Deleting what one meant and no more, and putting it back."""

import pytest
from playwright.sync_api import expect

from tests.features.page.page_driver import PageDriver
from tests.http.blocking import fill_store


@pytest.fixture
def driver(driver: PageDriver) -> PageDriver:
    """A list of twenty plants."""
    fill_store(driver.service, driver.store, 20, size=6)
    driver.sign_in().assert_count("20 plants")
    return driver


def delete(driver: PageDriver, name: str) -> None:
    """Delete one plant by its button."""
    driver.page.get_by_role("button", name=f"Delete {name}").click()
    driver.assert_shows(f"Deleted {name}", "#toasts")


def test_one_plant_is_deleted_and_put_back_unless_its_id_was_taken(driver: PageDriver) -> None:
    before, names = driver.list_plants(), driver.names()
    delete(driver, "000002")
    driver.assert_count("19 plants")
    assert driver.list_plants() == [before[0], *before[2:]]
    driver.undo()
    driver.assert_shows("Restored 000002", "#toasts")
    driver.assert_count("20 plants")
    assert driver.names() == names
    assert driver.list_plants() == before
    expect(driver["#add-id"]).to_have_value("21")
    delete(driver, "000020")
    expect(driver["#add-id"]).to_have_value("20")
    driver.create_plants({"id": 20, "name": "Another"})
    driver.undo()
    driver.assert_shows("000020 was not restored: the id 20 belongs to another plant", "#toasts")
    assert driver.list_plants()[-1]["name"] == "Another"


def test_several_are_deleted_and_put_back(driver: PageDriver) -> None:
    before = driver.list_plants()
    driver["#rows .check"].nth(1).click()
    driver["#rows .name"].nth(5).click(modifiers=["Shift"])
    driver.assert_shows("5 selected", "#selection")
    driver["#delete-selected"].click()
    driver.assert_shows("Deleted 5 plants", "#toasts")
    driver.assert_count("15 plants")
    assert driver.list_plants() == [before[0], *before[6:]]
    expect(driver["#selection"]).to_be_hidden()
    driver.undo()
    driver.assert_shows("Restored 5 plants", "#toasts")
    assert driver.list_plants() == before


def test_five_in_a_row_are_put_back_at_once(driver: PageDriver) -> None:
    before = driver.list_plants()
    for left in range(19, 14, -1):
        driver["#rows .remove"].first.click()
        driver.assert_count(f"{left} plants")
    driver.assert_shows("Deleted 5 plants", "#toasts")
    expect(driver["#toasts > *"]).to_have_count(1)
    driver.undo()
    driver.assert_count("20 plants")
    assert driver.list_plants() == before


def test_each_press_and_each_click_deletes_one(driver: PageDriver) -> None:
    requests = driver.record_requests("POST")
    driver["#grid"].press("Backspace")
    driver.page.keyboard.down("Delete")
    driver.assert_count("19 plants")
    driver.repeat_key("Delete")
    driver.settle()
    driver.assert_count("19 plants")
    driver["#rows .remove"].nth(2).hover()
    driver.page.mouse.down()
    driver.page.mouse.up()
    driver.assert_count("18 plants")
    driver.page.mouse.down(click_count=2)
    driver.page.mouse.up(click_count=2)
    driver.settle()
    driver.assert_count("18 plants")
    assert len(requests) == 2
    assert len(driver.list_plants()) == 18


def test_one_that_is_being_deleted_is_not_deleted_again_and_does_not_take_the_focus(
    driver: PageDriver,
) -> None:
    requests = driver.record_requests("POST")
    held = driver.hold("**/changes")
    for _ in range(2):
        driver["#grid"].press("Delete")
        driver.wait_until(lambda: held.routes)
    driver["#find"].click()
    driver.page.keyboard.type("0000")
    held.release()
    driver.assert_shows("Deleted 000001", "#toasts")
    driver.settle()
    expect(driver["#find"]).to_be_focused()
    driver.page.keyboard.type("1")
    expect(driver["#find"]).to_have_value("00001")
    assert len(requests) == 1
    expect(driver["#toasts > *"]).to_have_count(1)
    assert len(driver.list_plants()) == 19


def test_what_others_deleted_or_put_there_is_done(driver: PageDriver) -> None:
    driver.mute().page.reload()
    driver.assert_count("20 plants")
    with driver.service.client(driver.owner) as client:
        client.delete("/plants/2")
    delete(driver, "000002")
    driver.assert_count("19 plants")
    driver.create_plants({"id": 2, "name": "000002", "tag": "even"})
    driver.undo()
    driver.assert_shows("Restored 000002", "#toasts")
    expect(driver["#toasts"]).not_to_contain_text("not restored")
