"""An import as it goes: begun where it may be, stopped, without a server, without a mouse."""

from itertools import count

import pytest
from playwright.sync_api import Route, expect

from plantstore.model import Role
from tests.http.blocking import fill_store
from tests.web.page_driver import PageDriver

ROWS = "".join(f"{number},Plant {number}\n" for number in range(1, 41))


@pytest.fixture
def chosen(driver: PageDriver) -> PageDriver:
    """The page, where a file of forty plants was chosen to be imported."""
    driver.sign_in()
    driver.choose_file("many.csv", ROWS)
    expect(driver["#import-start"]).to_be_enabled()
    return driver


def assert_drop_opens_nothing(driver: PageDriver) -> None:
    assert driver.drop_file("plants.csv", ROWS)
    driver.settle()
    expect(driver["#import"]).to_be_hidden()


def test_a_dropped_file_is_read_where_one_may_import(driver: PageDriver) -> None:
    fill_store(driver.service, driver.store, 60)
    driver.open()
    expect(driver["#sign-in"]).to_be_visible()
    assert_drop_opens_nothing(driver)
    driver.submit_token(driver.service.make_token(driver.store, "eve", role=Role.READER))
    driver.assert_count("60 plants")
    assert_drop_opens_nothing(driver)
    driver["#sign-out"].click()
    driver.submit_token(driver.owner)
    driver.assert_count("60 plants")
    driver["#grid"].press("Control+a")
    driver["#grid"].press("Delete")
    expect(driver["#confirm"]).to_be_visible()
    assert_drop_opens_nothing(driver)
    driver["#confirm [value=no]"].click()
    assert driver.drop_file("plants.csv", ROWS)
    driver.assert_shows("plants.csv", "#import-name")
    driver.assert_shows("Plant 6", "#import-sample")


def test_what_the_service_refuses_is_told_with_its_line(driver: PageDriver) -> None:
    driver.create_plants({"id": 1, "name": "Fern"}, {"id": 2, "name": "Known"})
    driver.sign_in()
    driver.choose_file("plants.csv", "id,name\n1,Other\n2,Known\n3,New\n")
    text = "3 plants to import, 2 of them already in the store, 0 lines with a problem."
    driver.assert_shows(text, "#import-counts")
    driver.assert_shows("Line 2 this id is already in the store", "#import-reasons")
    driver["#import-start"].click()
    driver.assert_shows("1 plant imported, 1 already in the store, 1 line not", "#import-result")
    driver.assert_shows("Line 2 the id 1 belongs to another plant", "#import-failures")


def test_an_import_is_stopped_and_gone_on_with(chosen: PageDriver) -> None:
    held = chosen.hold("**/plants")
    chosen["#import-start"].click()
    expect(chosen["#import-cancel"]).to_be_focused()
    chosen.wait_until(lambda: held.routes)
    chosen.settle()
    assert 1 <= len(held.routes) <= 20
    for _ in range(3):  # a browser lets a page refuse to close a dialog once
        chosen.page.keyboard.press("Escape")
        chosen.settle()
    expect(chosen["#import-cancel"]).to_be_focused()
    chosen["#import-cancel"].click()
    chosen.assert_shows("Import stopped", "#import-summary-title")
    chosen.assert_shows("40 lines not imported", "#import-result")
    chosen.page.unroute("**/plants")
    chosen["#import-retry"].click()
    chosen.assert_shows("Import finished", "#import-summary-title")
    assert len(chosen.list_plants()) == 40


def test_enter_held_does_not_stop_it(chosen: PageDriver) -> None:
    held = chosen.hold("**/plants")
    chosen["#import-start"].focus()
    chosen.page.keyboard.down("Enter")
    chosen.wait_until(lambda: held.routes)
    chosen.repeat_key("Enter")
    chosen.settle()
    held.release()
    chosen.assert_shows("Import finished", "#import-summary-title")
    chosen.assert_shows("40 plants imported.", "#import-result")
    assert len(chosen.list_plants()) == 40


def test_a_server_that_is_away_is_told_in_the_dialog(chosen: PageDriver) -> None:
    for pattern in ("**/plants", "**/livez"):
        chosen.page.route(pattern, lambda route: route.abort())
    chosen["#import-start"].click()
    told = chosen["#import"].get_by_text("cannot be reached").filter(visible=True)
    expect(told.first).to_be_visible()
    chosen.page.unroute("**/plants")
    chosen.page.unroute("**/livez")
    chosen.assert_shows("40 plants imported.", "#import-result")
    expect(told).to_have_count(0)


def test_how_far_it_is_and_how_it_ended_is_announced(chosen: PageDriver) -> None:
    chosen.install_clock()
    requests = count()
    held = chosen.hold("**/plants")

    def respond(route: Route) -> None:
        if next(requests) < 27:
            route.continue_()
        else:
            route.fallback()

    chosen.page.route("**/plants", respond)
    chosen["#import-start"].click()
    told = chosen["#import"].get_by_role("log")
    chosen.assert_shows("27 of 40", "#import-progress-text")
    chosen.page.clock.fast_forward(10_000)
    held.release()
    expect(told).to_contain_text("28 of 40")
    chosen.assert_shows("40 plants imported.", "#import-result")
    chosen.assert_count("40 plants")
    expect(told).to_contain_text("40 plants imported.")


def test_it_needs_no_mouse(driver: PageDriver) -> None:
    driver.sign_in()
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
    assert len(driver.list_plants()) == 40
