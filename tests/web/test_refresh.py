"""What others change, and what one does meanwhile: the row and the selection stay right."""

from playwright.sync_api import expect

from tests.http.blocking import fill_store
from tests.service import Service
from tests.web.browser import OpenPage
from tests.web.page_driver import PageDriver, create_plants, list_plants


def opened(open_page: OpenPage, service: Service, owner: str) -> PageDriver:
    create_plants(
        service, owner, *({"id": number, "name": f"P{number}"} for number in range(10, 20))
    )
    driver = open_page().sign_in(owner)
    driver.assert_count("10 plants")
    return driver


def delete(service: Service, owner: str, *ids: int) -> None:
    with service.client(owner) as client:
        for one in ids:
            client.delete(f"/plants/{one}").raise_for_status()


def test_the_active_plant_stays_the_active_one(
    open_page: OpenPage, service: Service, owner: str
) -> None:
    driver = opened(open_page, service, owner)
    driver["#grid"].focus()
    for _ in range(3):
        driver["#grid"].press("ArrowDown")
    assert driver.active_name() == "P13"
    create_plants(service, owner, {"id": 1, "name": "New"})
    driver.refocus()
    driver.assert_count("11 plants")
    assert driver.active_name() == "P13"
    driver["#grid"].press("Delete")
    driver.assert_shows("Deleted P13", "#toasts")


def test_what_others_add_is_told_though_none_of_it_is_shown(
    open_page: OpenPage, service: Service, owner: str
) -> None:
    driver = opened(open_page, service, owner)
    driver["#find"].fill("nothing of this name")
    driver.assert_shows("0 of 10 plants", "#announcements")
    create_plants(service, owner, {"id": 1, "name": "New"})
    driver.refocus()
    driver.assert_shows("0 of 11 plants", "#announcements")


def test_after_a_filter_a_shift_click_selects_one(
    open_page: OpenPage, service: Service, owner: str
) -> None:
    driver = opened(open_page, service, owner)
    driver["#rows .name"].nth(7).click()
    driver["#find"].fill("p")
    driver["#rows .name"].nth(2).click(modifiers=["Shift"])
    driver.assert_shows("1 selected", "#selection")
    assert driver["#rows [aria-selected=true] .name"].all_inner_texts() == ["P12"]


def test_what_others_deleted_is_not_selected(
    open_page: OpenPage, service: Service, owner: str
) -> None:
    driver = opened(open_page, service, owner)
    for index in range(3):
        driver["#rows .check"].nth(index).click()
    driver.assert_shows("3 selected", "#selection")
    delete(service, owner, 10, 11)
    driver.refocus()
    driver.assert_count("8 plants")
    driver.assert_shows("1 selected", "#selection")
    delete(service, owner, 12)
    driver.refocus()
    driver.assert_count("7 plants")
    expect(driver["#selection"]).to_be_hidden()


def test_coming_back_loads_the_list_once(
    open_page: OpenPage, service: Service, store: str, owner: str
) -> None:
    fill_store(service, store, 1500)
    driver = open_page().sign_in(owner)
    driver.assert_count("1,500 plants")
    create_plants(service, owner, {"id": 1501, "name": "New"})
    asked = driver.record_requests("GET")
    driver.evaluate(
        "(document.dispatchEvent(new Event('visibilitychange')), dispatchEvent(new Event('focus')))"
    )
    driver.assert_count("1,501 plants")
    driver.settle()
    pages = [url for url in asked if "include=" in url]
    assert len(pages) == 2


def test_a_refresh_that_fails_is_told_and_made_up_for(
    open_page: OpenPage, service: Service, owner: str
) -> None:
    driver = opened(open_page, service, owner)
    create_plants(service, owner, {"id": 20, "name": "P20"})
    driver.respond("**/plants?include*", 500, '{"error": 50001, "message": "the service failed"}')
    driver.refocus()
    driver.assert_shows("The list may be out of date", "#state-error")
    driver.assert_count("10 plants")
    driver.page.unroute("**/plants?include*")
    driver.refocus()
    driver.assert_count("11 plants")
    expect(driver["#state-error"]).to_be_hidden()


def test_a_plant_is_deleted_once_though_the_list_is_new(
    open_page: OpenPage, service: Service, owner: str
) -> None:
    driver = opened(open_page, service, owner)
    create_plants(service, owner, {"id": 20, "name": "P20"})
    asked = driver.record_requests("DELETE")
    held = driver.hold("**/plants/14")
    driver.page.get_by_role("button", name="Delete P14").click()
    driver.wait_until(lambda: held.routes)
    driver.refocus()
    driver.assert_count("11 plants")
    driver.page.get_by_role("button", name="Delete P14").click()
    held.release()
    driver.assert_shows("Deleted P14", "#toasts")
    driver.assert_count("10 plants")
    assert len(asked) == 1


def test_what_one_deletes_during_a_refresh_is_gone(
    open_page: OpenPage, service: Service, owner: str
) -> None:
    driver = opened(open_page, service, owner)
    driver["#find"].fill("p")
    create_plants(service, owner, {"id": 20, "name": "P20"})
    held = driver.hold("**/plants?include*", responses=True)
    driver.refocus()
    driver.wait_until(lambda: held.routes)
    driver.page.get_by_role("button", name="Delete P14").click()
    driver.assert_shows("Deleted P14", "#toasts")
    held.release()
    driver.assert_count("10 of 10 plants")
    assert driver.names() == [one["name"] for one in list_plants(service, owner)]


def test_what_one_does_during_a_load_is_shown_with_a_filter_too(
    open_page: OpenPage, service: Service, store: str, owner: str
) -> None:
    fill_store(service, store, 1500)
    driver = open_page().open()
    held = driver.hold("**/plants?*after=*", responses=True)
    driver.sign_in(owner)
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
