"""Reloads of the list keep the active row, the selection and the user's own changes."""

import pytest
from playwright.sync_api import expect

from tests.features.page.page_driver import PageDriver
from tests.http.blocking import fill_store

RETURN_TO_TAB = """{
    document.dispatchEvent(new Event("visibilitychange"));
    dispatchEvent(new Event("focus"));
}"""


@pytest.fixture
def driver_with_plants(driver: PageDriver) -> PageDriver:
    """A tab, not yet open, for the owner of a store with ten plants."""
    driver.create_plants(*({"id": number, "name": f"P{number}"} for number in range(10, 20)))
    return driver


def delete(driver: PageDriver, *ids: int) -> None:
    with driver.service.client(driver.owner) as client:
        for plant_id in ids:
            client.delete(f"/plants/{plant_id}").raise_for_status()


def test_a_plant_stays_active_when_another_user_adds_a_plant(
    driver_with_plants: PageDriver,
) -> None:
    driver_with_plants.sign_in().assert_count("10 plants")
    driver_with_plants["#grid"].focus()
    for _ in range(3):
        driver_with_plants["#grid"].press("ArrowDown")
    assert driver_with_plants.active_name() == "P13"
    driver_with_plants.create_plants({"id": 1, "name": "New"})
    driver_with_plants.assert_count("11 plants")
    assert driver_with_plants.active_name() == "P13"
    driver_with_plants["#grid"].press("Delete")
    driver_with_plants.assert_shows("Deleted P13", "#message")
    driver_with_plants["#find"].fill("nothing of this name")
    driver_with_plants.assert_shows("0 plants found", "#announcements")
    driver_with_plants.create_plants({"id": 2, "name": "Another"})
    driver_with_plants.assert_count("0 of 11 plants")


def test_hidden_and_deleted_plants_are_deselected(driver_with_plants: PageDriver) -> None:
    driver_with_plants.sign_in()["#rows .name"].nth(7).click()
    driver_with_plants["#find"].fill("p")
    driver_with_plants["#rows .name"].nth(2).click(modifiers=["Shift"])
    driver_with_plants.assert_shows("1 selected", "#selection")
    assert driver_with_plants["#rows [aria-selected=true] .name"].all_inner_texts() == ["P12"]
    for index in range(2):
        driver_with_plants["#rows .check"].nth(index).click()
    driver_with_plants.assert_shows("3 selected", "#selection")
    delete(driver_with_plants, 10, 11)
    driver_with_plants.assert_count("8 of 8 plants")
    driver_with_plants.assert_shows("1 selected", "#selection")
    delete(driver_with_plants, 12)
    driver_with_plants.assert_count("7 of 7 plants")
    expect(driver_with_plants["#selection"]).to_be_hidden()


def test_returning_to_the_tab_reloads_the_list_once(driver: PageDriver) -> None:
    fill_store(driver.service, driver.store, 3000)
    driver.block_streams().sign_in().assert_count("3,000 plants")
    driver.create_plants({"id": 3001, "name": "New"})
    requests = driver.record_requests("GET")
    driver.evaluate(RETURN_TO_TAB)
    driver.assert_count("3,001 plants")
    driver.settle()
    list_requests = [url for url in requests if "include=" in url]
    assert len(list_requests) == 1


def test_a_failed_reload_shows_a_warning_until_the_next_succeeds(
    driver_with_plants: PageDriver,
) -> None:
    driver_with_plants.block_streams().sign_in().assert_count("10 plants")
    driver_with_plants.create_plants({"id": 20, "name": "P20"})
    driver_with_plants.respond(
        "**/plants?include*", 500, '{"error": 50001, "message": "the service failed"}'
    )
    driver_with_plants.refocus()
    driver_with_plants.assert_shows("The list may be out of date", "#state-error")
    driver_with_plants.assert_count("10 plants")
    driver_with_plants.page.unroute("**/plants?include*")
    driver_with_plants.refocus()
    driver_with_plants.assert_count("11 plants")
    expect(driver_with_plants["#state-error"]).to_be_hidden()


def test_changes_made_while_the_list_loads_are_shown_in_a_search(driver: PageDriver) -> None:
    fill_store(driver.service, driver.store, 6000)
    held = driver.hold("**/plants?*after=*", responses=True)
    driver.sign_in().assert_count("5,000 plants so far")
    driver.wait_until(lambda: held.routes)
    driver["#find"].fill("x")
    driver.add_plant("New x", plant_id="9000")
    assert driver.names()[0] == "New x"
    driver["#rows .remove"].nth(1).click()
    driver.assert_shows("Deleted 000001xxxx", "#message")
    held.release()
    driver.assert_count("6,000 of 6,000 plants")
    assert driver.names()[:2] == ["New x", "000002xxxx"]


def test_no_matches_is_not_shown_before_the_whole_list_is_loaded(driver: PageDriver) -> None:
    fill_store(driver.service, driver.store, 6000)
    held = driver.hold("**/plants?*after=*")
    driver.sign_in().assert_count("5,000 plants so far")
    driver["#find"].fill("5500")
    driver.assert_shows("0 of", "#count")
    driver.settle()
    expect(driver["#state-nothing"]).to_be_hidden()
    held.release()
    driver.assert_count("1 of 6,000 plants")
