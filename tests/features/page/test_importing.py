"""Imports of files and pasted rows: choice of columns, preview, progress, stop and retry."""

import csv
import io

import pytest
from playwright.sync_api import expect

from tests.features.page.page_driver import PageDriver

ROWS = "".join(f"{number},Plant {number}\n" for number in range(1, 41))
UNREACHABLE = ("**/changes", "**/livez")
READ_SAMPLE = """() => [...document.querySelectorAll("#import-sample tr")]
    .map((row) => [...row.cells].map((cell) => cell.textContent))"""
PASTE = """(text) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text", text);
    const paste = new ClipboardEvent("paste", {clipboardData, bubbles: true});
    document.activeElement.dispatchEvent(paste);
}"""


@pytest.fixture
def list_page(driver: PageDriver) -> PageDriver:
    """The list of two plants, for the signed-in owner."""
    driver.create_plants({"id": 1, "name": "Fern"}, {"id": 2, "name": "Known"})
    driver.sign_in().assert_count("2 plants")
    return driver


def test_pasted_rows_are_imported(list_page: PageDriver) -> None:
    list_page.page.evaluate(PASTE, "Dahlia\n")
    list_page.assert_shows("Dahlia", "#import-sample")
    expect(list_page["#import-title"]).to_have_text("Import pasted rows")
    list_page["#import-other"].click()
    list_page.page.evaluate(PASTE, "id\tname\ttag\n7\tErica\theath\n")
    list_page.assert_shows("Erica", "#import-sample")
    list_page["#import-start"].click()
    list_page.assert_shows("Imported Erica", "#message")


def test_genus_species_and_cultivar_form_the_name_and_columns_can_change(
    list_page: PageDriver,
) -> None:
    sheet = "Genus;Species;Cultivar;Location;Price\nRosa;rugosa;Alba;bed 1;3\nRosa;rugosa;Alba;;3\n"
    list_page.choose_file("sheet.csv", sheet)
    list_page.assert_shows("Ignored: Price", "#import-ignored")
    list_page.assert_shows("2 new", "#import-counts")
    rows = [["3", "Rosa rugosa 'Alba'", "bed 1"], ["4", "Rosa rugosa 'Alba'", ""]]
    assert list_page.evaluate(READ_SAMPLE) == rows
    list_page["#import-name"].select_option("2: Species")
    list_page["#import-tag"].select_option("1: Genus")
    assert list_page.evaluate(READ_SAMPLE) == [["3", "rugosa", "Rosa"], ["4", "rugosa", "Rosa"]]
    list_page.assert_shows("1 line repeats an earlier line", "#import-counts")
    list_page["#import-start"].click()
    list_page.assert_shows("Imported 2 plants", "#message")
    list_page.undo()
    list_page.assert_shows("Deleted 2 plants", "#message")
    list_page.assert_count("2 plants")


def test_undoing_an_import_says_what_is_restored_and_what_is_deleted(
    list_page: PageDriver,
) -> None:
    list_page.choose_file("sheet.csv", "id,name\n1,Changed\n2,Changed too\n9,New\n")
    list_page.assert_shows("2 will be changed", "#import-counts")
    list_page["#import-start"].click()
    list_page.assert_shows("Imported 3 plants", "#message")
    list_page.undo()
    list_page.assert_shows("Deleted New. Restored 2 plants", "#message")
    assert [plant["name"] for plant in list_page.list_plants()] == ["Fern", "Known"]


def test_an_import_changes_known_plants_and_offers_failed_lines_as_a_file(
    list_page: PageDriver,
) -> None:
    list_page.choose_file("plants.csv", "id,name\n1,Tree fern\n2,Known\n3,New\nx,Odd\n")
    text = "1 new · 1 will be changed · 1 already here · 1 with problems"
    list_page.assert_shows(text, "#import-counts")
    list_page["#import-start"].click()
    list_page.assert_shows("Imported 2 plants. 1 line was not imported", "#message")
    assert [plant["name"] for plant in list_page.list_plants()] == ["Tree fern", "Known", "New"]
    expect(list_page["#message"].get_by_role("button", name="Try again")).to_have_count(0)
    name, text = list_page.download("#message button:text('Download')")
    assert name == "not-imported.csv"
    assert list(csv.reader(io.StringIO(text))) == [
        ["line", "id", "name", "tag", "problem"],
        ["5", "x", "Odd", "", "ID must be a whole number, such as 7"],
    ]
    list_page.undo()
    list_page.wait_until(
        lambda: [plant["name"] for plant in list_page.list_plants()] == ["Fern", "Known"]
    )


def test_imported_plants_get_other_ids_when_others_take_theirs(list_page: PageDriver) -> None:
    list_page.choose_file("names.txt", "Moss\nAloe\n")
    held = list_page.hold("**/changes")
    list_page["#import-start"].click()
    list_page.wait_until(lambda: held.routes)
    list_page.create_plants({"id": 3, "name": "Basil"})
    list_page.assert_count("3 plants")
    held.release()
    list_page.assert_count("5 plants")
    names = [plant["name"] for plant in list_page.list_plants()]
    assert names == ["Fern", "Known", "Basil", "Aloe", "Moss"]


def test_an_import_runs_in_the_background_and_can_be_stopped_and_retried(
    driver: PageDriver,
) -> None:
    driver.sign_in()
    driver.choose_file("many.csv", "".join(f"Plant {number}\n" for number in range(1200)))
    first = iter(range(1))  # the first request is sent, the second is held
    held = driver.hold("**/changes")
    driver.route(
        "**/changes",
        lambda route: route.fallback() if next(first, None) is None else route.continue_(),
    )
    driver["#import-start"].click()
    driver.assert_shows("500 of 1,200", "#message")
    driver["#find"].fill("plant 499")
    driver.assert_count("2 of 500 plants")
    driver.wait_until(lambda: held.routes)
    driver["#message"].get_by_role("button", name="Stop").click()
    held.release()
    driver.assert_shows("200 lines were not imported", "#message")
    driver["#message"].get_by_role("button", name="Try again").click()
    driver.assert_count("2 of 1,200 plants")
    driver.wait_until(lambda: len(driver.list_plants()) == 1200)


def test_an_import_by_keyboard_waits_until_the_server_is_reachable(driver: PageDriver) -> None:
    driver.sign_in()
    press = driver.page.keyboard.press
    # Intercept the chooser from the start: a busy browser may apply the interception late.
    with driver.page.expect_file_chooser() as chooser:
        driver["#more-open"].focus()
        press("Enter")
        expect(driver["#import-open"]).to_be_focused()
        press("Enter")
        expect(driver["#import-file"]).to_be_focused()
        press("Space")
    chooser.value.set_files({"name": "a.csv", "mimeType": "", "buffer": ROWS.encode()})
    expect(driver["#import-start"]).to_be_focused()
    for pattern in UNREACHABLE:
        driver.route(pattern, lambda route: route.abort())
    press("Enter")
    expect(driver["#import"]).to_be_hidden()
    expect(driver["#offline"]).to_be_visible()
    for pattern in UNREACHABLE:
        driver.page.unroute(pattern)
    expect(driver["#announcements"]).to_contain_text("Imported 40 plants")
    expect(driver["#offline"]).to_be_hidden()
    driver.assert_count("40 plants")
    expect(driver["#grid"]).to_be_focused()
