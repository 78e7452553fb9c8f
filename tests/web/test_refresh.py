"""What others change, and what one does meanwhile: the row and the selection stay right."""

import pytest
from playwright.sync_api import expect

from tests.http.blocking import fill_store
from tests.web.page_driver import PageDriver


@pytest.fixture
def opened(driver: PageDriver) -> PageDriver:
    """A list of ten plants."""
    driver.create_plants(*({"id": number, "name": f"P{number}"} for number in range(10, 20)))
    driver.sign_in()
    driver.assert_count("10 plants")
    return driver


def delete(driver: PageDriver, *ids: int) -> None:
    with driver.service.client(driver.owner) as client:
        for one in ids:
            client.delete(f"/plants/{one}").raise_for_status()


def test_the_active_plant_stays_the_active_one(opened: PageDriver) -> None:
    opened["#grid"].focus()
    for _ in range(3):
        opened["#grid"].press("ArrowDown")
    assert opened.active_name() == "P13"
    opened.create_plants({"id": 1, "name": "New"})
    opened.refocus()
    opened.assert_count("11 plants")
    assert opened.active_name() == "P13"
    opened["#grid"].press("Delete")
    opened.assert_shows("Deleted P13", "#toasts")


def test_what_others_add_is_told_though_none_of_it_is_shown(opened: PageDriver) -> None:
    opened["#find"].fill("nothing of this name")
    opened.assert_shows("0 of 10 plants", "#announcements")
    opened.create_plants({"id": 1, "name": "New"})
    opened.refocus()
    opened.assert_shows("0 of 11 plants", "#announcements")


def test_after_a_filter_a_shift_click_selects_one(opened: PageDriver) -> None:
    opened["#rows .name"].nth(7).click()
    opened["#find"].fill("p")
    opened["#rows .name"].nth(2).click(modifiers=["Shift"])
    opened.assert_shows("1 selected", "#selection")
    assert opened["#rows [aria-selected=true] .name"].all_inner_texts() == ["P12"]


def test_what_others_deleted_is_not_selected(opened: PageDriver) -> None:
    for index in range(3):
        opened["#rows .check"].nth(index).click()
    opened.assert_shows("3 selected", "#selection")
    delete(opened, 10, 11)
    opened.refocus()
    opened.assert_count("8 plants")
    opened.assert_shows("1 selected", "#selection")
    delete(opened, 12)
    opened.refocus()
    opened.assert_count("7 plants")
    expect(opened["#selection"]).to_be_hidden()


def test_coming_back_loads_the_list_once(driver: PageDriver) -> None:
    fill_store(driver.service, driver.store, 1500)
    driver.sign_in()
    driver.assert_count("1,500 plants")
    driver.open_without_stream()
    driver.assert_count("1,500 plants")
    driver.create_plants({"id": 1501, "name": "New"})
    asked = driver.record_requests("GET")
    driver.evaluate(
        "(document.dispatchEvent(new Event('visibilitychange')), dispatchEvent(new Event('focus')))"
    )
    driver.assert_count("1,501 plants")
    driver.settle()
    pages = [url for url in asked if "include=" in url]
    assert len(pages) == 2


def test_a_refresh_that_fails_is_told_and_made_up_for(opened: PageDriver) -> None:
    opened.open_without_stream()
    opened.create_plants({"id": 20, "name": "P20"})
    opened.respond("**/plants?include*", 500, '{"error": 50001, "message": "the service failed"}')
    opened.refocus()
    opened.assert_shows("The list may be out of date", "#state-error")
    opened.assert_count("10 plants")
    opened.page.unroute("**/plants?include*")
    opened.refocus()
    opened.assert_count("11 plants")
    expect(opened["#state-error"]).to_be_hidden()


def test_a_plant_is_deleted_once_though_the_list_is_new(opened: PageDriver) -> None:
    opened.create_plants({"id": 20, "name": "P20"})
    asked = opened.record_requests("DELETE")
    held = opened.hold("**/plants/14")
    opened.page.get_by_role("button", name="Delete P14").click()
    opened.wait_until(lambda: held.routes)
    opened.refocus()
    opened.assert_count("11 plants")
    opened.page.get_by_role("button", name="Delete P14").click()
    held.release()
    opened.assert_shows("Deleted P14", "#toasts")
    opened.assert_count("10 plants")
    assert len(asked) == 1


def test_what_one_deletes_during_a_refresh_is_gone(opened: PageDriver) -> None:
    opened.open_without_stream()
    opened["#find"].fill("p")
    opened.create_plants({"id": 20, "name": "P20"})
    held = opened.hold("**/plants?include*", responses=True)
    opened.refocus()
    opened.wait_until(lambda: held.routes)
    opened.page.get_by_role("button", name="Delete P14").click()
    opened.assert_shows("Deleted P14", "#toasts")
    held.release()
    opened.assert_count("10 of 10 plants")
    assert opened.names() == [one["name"] for one in opened.list_plants()]


def test_what_one_does_during_a_load_is_shown_with_a_filter_too(driver: PageDriver) -> None:
    fill_store(driver.service, driver.store, 1500)
    driver.open()
    held = driver.hold("**/plants?*after=*", responses=True)
    driver.sign_in()
    driver.assert_count("1,000 plants so far")
    driver.wait_until(lambda: held.routes)
    driver["#find"].fill("x")
    driver.add_plant("New x", plant_id="5000")
    driver["#rows .remove"].first.click()
    driver.assert_shows("Deleted 000001xxxx", "#toasts")
    held.release()
    driver.assert_count("1,500 of 1,500 plants")
    assert driver.names()[0] == "000002xxxx"
    driver["#grid"].press("End")
    driver.assert_shows("New x", "#rows")
