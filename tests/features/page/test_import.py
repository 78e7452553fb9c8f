"""An import: of a sheet of names, in the background, stopped, without a server, without a mouse."""

import csv
import io

from playwright.sync_api import expect

from plantstore.core.model import Role
from tests.features.page.page_driver import PageDriver
from tests.http.blocking import fill_store

ROWS = "".join(f"{number},Plant {number}\n" for number in range(1, 41))
AWAY = ("**/changes", "**/livez")
SHEET = "Standort;Art;Gruppe\nA1;Farn;Kraut\nA2;Aloe;\n"
SAMPLE = """() => [...document.querySelectorAll("#import-sample tr")]
    .map((row) => [...row.cells].map((cell) => cell.textContent))"""


def assert_drop_opens_nothing(driver: PageDriver) -> None:
    assert driver.drop_file("plants.csv", ROWS)
    driver.settle()
    expect(driver["#import"]).to_be_hidden()


def test_a_dropped_file_is_read_where_one_may_import(driver: PageDriver) -> None:
    fill_store(driver.service, driver.store, 60)
    driver.sign_in(driver.service.make_token(driver.store, "eve", role=Role.READER))
    driver.assert_count("60 plants")
    assert_drop_opens_nothing(driver)
    driver["#sign-out"].click()
    assert_drop_opens_nothing(driver)
    driver.submit_token(driver.owner)
    driver.assert_count("60 plants")
    driver["#grid"].press("Control+a")
    driver["#grid"].press("Delete")
    expect(driver["#confirm"]).to_be_visible()
    assert_drop_opens_nothing(driver)
    driver["#confirm [value=no]"].click()
    assert driver.drop_file("plants.csv", "Fern\n")
    driver.assert_shows("plants.csv", "#import-file-name")
    driver.assert_shows("Fern", "#import-sample")


def test_a_sheet_of_any_columns_is_imported_without_ids(driver: PageDriver) -> None:
    driver.create_plants({"id": 7, "name": "Basil"})
    driver.sign_in()
    driver.choose_file("sheet.csv", SHEET)
    driver["#import-name"].select_option("2: Art")
    driver["#import-tag"].select_option("3: Gruppe")
    driver["#import-header"].check()
    driver.assert_shows("2 plants to import.", "#import-counts")
    assert driver.evaluate(SAMPLE) == [["8", "Farn", "Kraut"], ["9", "Aloe", ""]]
    driver["#import-start"].click()
    driver.assert_shows("Imported 2 plants", "#toasts")
    driver.assert_count("3 plants")
    assert driver.list_plants()[1:] == [
        {"id": 8, "name": "Farn", "tag": "Kraut"},
        {"id": 9, "name": "Aloe"},
    ]
    driver.undo()
    driver.assert_count("1 plant")


def test_what_is_there_is_told_from_what_has_anothers_id(driver: PageDriver) -> None:
    driver.create_plants({"id": 1, "name": "Fern"}, {"id": 2, "name": "Known"})
    driver.sign_in()
    driver.choose_file("plants.csv", "id,name\n1,Other\n2,Known\n3,New\n")
    text = "1 plant to import, 1 in the store already, 1 line with a problem."
    driver.assert_shows(text, "#import-counts")
    driver.assert_shows("Line 2 the id 1 belongs to another plant, Fern", "#import-reasons")
    driver["#import-start"].click()
    driver.assert_shows("Imported New", "#toasts")
    driver.assert_shows("Not imported: 1 line", "#toasts")
    expect(driver["#toasts"].get_by_role("button", name="Try again")).to_have_count(0)
    name, text = driver.download("#toasts .failed button:text('Download')")
    assert name == "not-imported.csv"
    assert list(csv.reader(io.StringIO(text))) == [
        ["line", "id", "name", "tag", "problem"],
        ["2", "1", "Other", "", "the id 1 belongs to another plant, Fern"],
    ]


def test_ids_that_others_take_meanwhile_are_given_anew(driver: PageDriver) -> None:
    driver.sign_in()
    driver.choose_file("names.txt", "Fern\nAloe\n")
    held = driver.hold("**/changes")
    driver["#import-start"].click()
    driver.wait_until(lambda: held.routes)
    driver.create_plants({"id": 1, "name": "Basil"})
    driver.assert_count("1 plant")
    held.release()
    driver.assert_count("3 plants")
    assert [one["name"] for one in driver.list_plants()] == ["Basil", "Aloe", "Fern"]


def test_it_goes_on_in_the_background_until_it_is_stopped(driver: PageDriver) -> None:
    driver.sign_in()
    driver.choose_file("many.csv", "".join(f"Plant {number}\n" for number in range(1200)))
    left = iter(range(1))
    held = driver.hold("**/changes")
    driver.route(
        "**/changes",
        lambda route: route.fallback() if next(left, None) is None else route.continue_(),
    )
    driver["#import-start"].click()
    driver.assert_shows("Importing 500 of 1,200, about", "#toasts")
    driver.assert_count("500 plants")
    driver["#find"].fill("plant 499")
    driver.assert_count("1 of 500 plants")
    driver["#toasts"].get_by_role("button", name="Stop").click()
    held.release()
    driver.assert_shows("Not imported: 200 lines", "#toasts")
    driver["#toasts"].get_by_role("button", name="Try again").click()
    driver.assert_count("1 of 1,200 plants")
    driver["#find"].fill("plant 1199")
    driver.assert_shows("Plant 1199", "#rows")
    assert len(driver.list_plants()) == 1200


def test_it_needs_no_mouse_and_waits_for_a_server_that_is_away(driver: PageDriver) -> None:
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
    for pattern in AWAY:
        driver.route(pattern, lambda route: route.abort())
    keyboard.press("Enter")
    expect(driver["#import"]).to_be_hidden()
    expect(driver["#import-open"]).to_be_focused()
    driver.assert_shows("cannot be reached", "#offline")
    for pattern in AWAY:
        driver.page.unroute(pattern)
    expect(driver["#announcements"]).to_contain_text("Imported 40 plants")
    expect(driver["#offline"]).to_be_hidden()
    driver.assert_count("40 plants")
