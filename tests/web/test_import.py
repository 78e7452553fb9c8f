"""An import as it goes: begun where it may be, stopped, without a server, without a mouse."""

from itertools import count

from playwright.sync_api import Route, expect

from plantstore.model import Role
from tests.http.blocking import fill_store
from tests.service import Service
from tests.web.browser import OpenPage
from tests.web.page_driver import PageDriver, create_plants, list_plants

ROWS = "".join(f"{number},Plant {number}\n" for number in range(1, 41))


def chosen(open_page: OpenPage, owner: str) -> PageDriver:
    driver = open_page().sign_in(owner)
    driver.choose_file("many.csv", ROWS)
    expect(driver["#import-start"]).to_be_enabled()
    return driver


def assert_drop_opens_nothing(driver: PageDriver) -> None:
    assert driver.drop_file("plants.csv", ROWS)
    driver.settle()
    expect(driver["#import"]).to_be_hidden()


def test_a_dropped_file_is_read_where_one_may_import(
    open_page: OpenPage, service: Service, store: str, owner: str
) -> None:
    fill_store(service, store, 60)
    driver = open_page().open()
    expect(driver["#sign-in"]).to_be_visible()
    assert_drop_opens_nothing(driver)
    driver.submit_token(service.make_token(store, "eve", role=Role.READER))
    driver.assert_count("60 plants")
    assert_drop_opens_nothing(driver)
    driver["#sign-out"].click()
    driver.submit_token(owner)
    driver.assert_count("60 plants")
    driver["#grid"].press("Control+a")
    driver["#grid"].press("Delete")
    expect(driver["#confirm"]).to_be_visible()
    assert_drop_opens_nothing(driver)
    driver["#confirm [value=no]"].click()
    assert driver.drop_file("plants.csv", ROWS)
    driver.assert_shows("plants.csv", "#import-name")
    driver.assert_shows("Plant 6", "#import-sample")


def test_what_the_service_refuses_is_told_with_its_line(
    open_page: OpenPage, service: Service, owner: str
) -> None:
    create_plants(service, owner, {"id": 1, "name": "Fern"}, {"id": 2, "name": "Known"})
    driver = open_page().sign_in(owner)
    driver.choose_file("plants.csv", "id,name\n1,Other\n2,Known\n3,New\n")
    text = "3 plants to import, 2 of them already in the store, 0 lines with a problem."
    driver.assert_shows(text, "#import-counts")
    driver.assert_shows("Line 2 this id is already in the store", "#import-reasons")
    driver["#import-start"].click()
    driver.assert_shows("1 plant imported, 1 already in the store, 1 line not", "#import-result")
    driver.assert_shows("Line 2 the id 1 belongs to another plant", "#import-failures")


def test_an_import_is_stopped_and_gone_on_with(
    open_page: OpenPage, service: Service, owner: str
) -> None:
    driver = chosen(open_page, owner)
    held = driver.hold("**/plants")
    driver["#import-start"].click()
    expect(driver["#import-cancel"]).to_be_focused()
    driver.wait_until(lambda: held.routes)
    driver.settle()
    assert 1 <= len(held.routes) <= 20
    for _ in range(3):  # a browser lets a page refuse to close a dialog once
        driver.page.keyboard.press("Escape")
        driver.settle()
    expect(driver["#import-cancel"]).to_be_focused()
    driver["#import-cancel"].click()
    driver.assert_shows("Import stopped", "#import-summary-title")
    driver.assert_shows("40 lines not imported", "#import-result")
    driver.page.unroute("**/plants")
    driver["#import-retry"].click()
    driver.assert_shows("Import finished", "#import-summary-title")
    assert len(list_plants(service, owner)) == 40


def test_enter_held_does_not_stop_it(open_page: OpenPage, service: Service, owner: str) -> None:
    driver = chosen(open_page, owner)
    held = driver.hold("**/plants")
    driver["#import-start"].focus()
    driver.page.keyboard.down("Enter")
    driver.wait_until(lambda: held.routes)
    driver.repeat_key("Enter")
    driver.settle()
    held.release()
    driver.assert_shows("Import finished", "#import-summary-title")
    driver.assert_shows("40 plants imported.", "#import-result")
    assert len(list_plants(service, owner)) == 40


def test_a_server_that_is_away_is_told_in_the_dialog(open_page: OpenPage, owner: str) -> None:
    driver = chosen(open_page, owner)
    for pattern in ("**/plants", "**/livez"):
        driver.page.route(pattern, lambda route: route.abort())
    driver["#import-start"].click()
    told = driver["#import"].get_by_text("cannot be reached").filter(visible=True)
    expect(told.first).to_be_visible()
    driver.page.unroute("**/plants")
    driver.page.unroute("**/livez")
    driver.assert_shows("40 plants imported.", "#import-result")
    expect(told).to_have_count(0)


def test_how_far_it_is_and_how_it_ended_is_announced(open_page: OpenPage, owner: str) -> None:
    driver = chosen(open_page, owner)
    driver.install_clock()
    requests = count()
    held = driver.hold("**/plants")

    def respond(route: Route) -> None:
        if next(requests) < 27:
            route.continue_()
        else:
            route.fallback()

    driver.page.route("**/plants", respond)
    driver["#import-start"].click()
    told = driver["#import"].get_by_role("log")
    driver.assert_shows("27 of 40", "#import-progress-text")
    driver.page.clock.fast_forward(10_000)
    held.release()
    expect(told).to_contain_text("28 of 40")
    driver.assert_shows("40 plants imported.", "#import-result")
    driver.assert_count("40 plants")
    expect(told).to_contain_text("40 plants imported.")


def test_it_needs_no_mouse(open_page: OpenPage, service: Service, owner: str) -> None:
    driver = open_page().sign_in(owner)
    keyboard = driver.page.keyboard
    # From the start: a busy browser may learn of it too late else.
    with driver.page.expect_file_chooser() as chooser:
        driver["#import-open"].focus()
        keyboard.press("Enter")
        expect(driver["#import-file"]).to_be_focused()
        keyboard.press("Space")
    chooser.value.set_files({"name": "a.csv", "mimeType": "", "buffer": ROWS.encode()})
    expect(driver["#import-start"]).to_be_focused()
    keyboard.press("Enter")
    driver.assert_shows("40 plants imported.", "#import-result")
    expect(driver["#import-done"]).to_be_focused()
    keyboard.press("Enter")
    expect(driver["#import"]).to_be_hidden()
    expect(driver["#import-open"]).to_be_focused()
    driver.assert_count("40 plants")
    assert len(list_plants(service, owner)) == 40
