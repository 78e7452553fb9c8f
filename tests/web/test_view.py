"""What is shown and how: order, address and selection; pasted rows; a plant out of sight."""

import pytest
from playwright.sync_api import expect

from tests.http.blocking import fill_store
from tests.web.page_driver import PageDriver

PASTE = """(text) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text", text);
    document.body.dispatchEvent(new ClipboardEvent("paste", {clipboardData, bubbles: true}));
}"""


@pytest.fixture
def opened(driver: PageDriver) -> PageDriver:
    """A list of four plants."""
    driver.create_plants(
        {"id": 1, "name": "Fern 10", "tag": "shade"},
        {"id": 2, "name": "aloe"},
        {"id": 3, "name": "Fern 9", "tag": "shade"},
        {"id": 4, "name": "Basil", "tag": "herb"},
    )
    driver.sign_in().assert_count("4 plants")
    return driver


def sort_by(driver: PageDriver, order: str) -> None:
    driver[f"[data-order={order}]"].click()


def test_the_list_is_sorted_by_each_column_both_ways(opened: PageDriver) -> None:
    orders = {
        "name": ["aloe", "Basil", "Fern 9", "Fern 10"],
        "tag": ["Basil", "Fern 9", "Fern 10", "aloe"],
        "id": ["Fern 10", "aloe", "Fern 9", "Basil"],
    }
    for order, names in orders.items():
        sort_by(opened, order)
        assert opened.names() == names
        header = opened[f"[role=columnheader]:has([data-order={order}])"]
        expect(header).to_have_attribute("aria-sort", "ascending")
        sort_by(opened, order)
        assert opened.names() == names[::-1]
        expect(header).to_have_attribute("aria-sort", "descending")


def test_what_changes_takes_its_place_in_the_order(opened: PageDriver) -> None:
    sort_by(opened, "name")
    opened.create_plants({"id": 9, "name": "Camellia"})
    opened.assert_count("5 plants")
    assert opened.names() == ["aloe", "Basil", "Camellia", "Fern 9", "Fern 10"]
    opened.add_plant("Dahlia")
    opened["#rows .name"].first.dblclick()
    opened["#edit-name"].fill("Erica")
    opened["#edit-name"].press("Enter")
    opened.assert_shows("Changed Erica", "#toasts")
    assert opened.names() == ["Basil", "Camellia", "Dahlia", "Erica", "Fern 9", "Fern 10"]


def test_all_are_selected_by_one_box(opened: PageDriver) -> None:
    opened["#select-all"].click()
    opened.assert_shows("4 selected", "#selection")
    opened["#rows .check"].first.click()
    opened.assert_shows("3 selected", "#selection")
    assert opened["#select-all"].evaluate("(box) => box.indeterminate")
    sort_by(opened, "name")
    opened.assert_shows("3 selected", "#selection")
    opened["#select-all"].click()
    opened["#select-all"].click()
    expect(opened["#selection"]).to_be_hidden()


def test_the_selection_is_exported(opened: PageDriver) -> None:
    opened["#rows .check"].nth(1).click()
    opened["#rows .check"].nth(3).click()
    assert opened.export("csv")[1] == "id,name,tag\r\n2,aloe,\r\n4,Basil,herb\r\n"


def test_the_address_keeps_what_is_shown(opened: PageDriver) -> None:
    opened["#find"].fill("fern")
    opened["#tag-filter"].select_option("=shade")
    sort_by(opened, "name")
    shown = ["Fern 9", "Fern 10"]
    assert opened.names() == shown
    opened.page.reload()
    opened.assert_count("2 of 4 plants")
    assert opened.names() == shown
    expect(opened["#find"]).to_have_value("fern")
    copied = opened.page.url
    opened.page.go_back()
    assert opened.names() == shown[::-1]
    opened.page.go_back()
    expect(opened["#tag-filter"]).to_have_value("")
    opened.page.go_back()
    opened.assert_count("4 plants")
    assert opened.owner not in copied
    opened.page.goto(copied)
    opened.page.reload()
    opened.assert_count("2 of 4 plants")


def test_signing_out_leaves_nothing_in_the_address(opened: PageDriver) -> None:
    opened["#find"].fill("fern")
    opened.assert_count("2 of 4 plants")
    opened["#sign-out"].click()
    assert "fern" not in opened.page.url


def test_a_plant_that_the_filter_hides_is_offered(opened: PageDriver) -> None:
    opened["#find"].fill("fern")
    opened.add_plant("Zinnia")
    opened.assert_shows("does not match", "#add-done")
    opened["#add-done button"].click()
    opened.assert_count("5 plants")
    assert opened.active_name() == "Zinnia"


def test_a_slash_finds_from_anywhere_but_a_field(opened: PageDriver) -> None:
    opened["#plants-title"].focus()
    opened.page.keyboard.press("/")
    expect(opened["#find"]).to_be_focused()
    opened["#add-name"].focus()
    opened.page.keyboard.press("/")
    expect(opened["#add-name"]).to_have_value("/")


def test_counts_of_tags_follow_the_search(opened: PageDriver) -> None:
    opened["#find"].fill("fern")
    expect(opened["#tag-bars button"]).to_have_text(["shade2"])
    opened.create_plants({"id": 9, "name": "Fern 11", "tag": "new"})
    expect(opened["#tag-bars button"]).to_have_text(["shade2", "new1"])


def test_a_tag_in_a_row_filters(opened: PageDriver) -> None:
    opened["#rows .pill"].filter(has_text="herb").click()
    opened.assert_count("1 of 4 plants")


def test_pasted_rows_are_imported(opened: PageDriver) -> None:
    opened.page.evaluate(PASTE, "id\tname\ttag\n7\tErica\theath\n")
    opened.assert_shows("Import Pasted rows", "#import")
    opened["#import-start"].click()
    opened.assert_shows("Imported Erica", "#toasts")


def test_very_many_are_sorted_and_stay_so(driver: PageDriver) -> None:
    fill_store(driver.service, driver.store, 20_000, size=6)
    driver.sign_in().assert_count("20,000 plants")
    sort_by(driver, "name")
    sort_by(driver, "name")
    assert driver.names()[0] == "020000"
    driver.create_plants({"id": 30_000, "name": "019999½"})
    driver.assert_count("20,001 plants")
    assert driver.names()[:3] == ["020000", "019999½", "019999"]
