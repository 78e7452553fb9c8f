"""What is shown and how: order, address and selection; pasted rows; a plant out of sight."""

import pytest
from playwright.sync_api import expect

from tests.features.page.page_driver import PageDriver

PASTE = """(text) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text", text);
    const paste = new ClipboardEvent("paste", {clipboardData, bubbles: true});
    document.activeElement.dispatchEvent(paste);
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
        "id": ["Fern 10", "aloe", "Fern 9", "Basil"],
        "tag": ["Basil", "Fern 9", "Fern 10", "aloe"],
        "name": ["aloe", "Basil", "Fern 9", "Fern 10"],
    }
    sort_by(opened, "name")
    for order, names in orders.items():
        sort_by(opened, order)
        assert opened.names() == names
        header = opened[f"[role=columnheader]:has([data-order={order}])"]
        expect(header).to_have_attribute("aria-sort", "ascending")
        sort_by(opened, order)
        assert opened.names() == names[::-1]
        expect(header).to_have_attribute("aria-sort", "descending")
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


def test_all_are_selected_by_one_box_and_the_selection_exported(opened: PageDriver) -> None:
    opened["#select-all"].click()
    opened.assert_shows("4 selected", "#selection")
    opened["#rows .check"].first.click()
    opened.assert_shows("3 selected", "#selection")
    assert opened["#select-all"].evaluate("(box) => box.indeterminate")
    sort_by(opened, "name")
    opened.assert_shows("3 selected", "#selection")
    exported = "id,name,tag\r\n2,aloe,\r\n4,Basil,herb\r\n3,Fern 9,shade\r\n"
    assert opened.export("csv")[1] == exported
    opened["#select-all"].click()
    opened["#select-all"].click()
    expect(opened["#selection"]).to_be_hidden()


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


def test_a_plant_that_the_filter_hides_is_offered(opened: PageDriver) -> None:
    opened["#rows .pill"].filter(has_text="herb").click()
    opened.assert_count("1 of 4 plants")
    opened.add_plant("Zinnia")
    opened.assert_shows("does not match", "#add-done")
    opened["#add-done button"].click()
    opened.assert_count("5 plants")
    assert opened.active_name() == "Zinnia"


def test_counts_of_tags_follow_the_search(opened: PageDriver) -> None:
    opened["#find"].fill("fern")
    expect(opened["#tag-bars button"]).to_have_text(["shade2"])
    opened.create_plants({"id": 9, "name": "Fern 11", "tag": "new"})
    expect(opened["#tag-bars button"]).to_have_text(["shade2", "new1"])


def test_pasted_rows_are_imported(opened: PageDriver) -> None:
    opened.page.evaluate(PASTE, "Dahlia\n")
    opened.assert_shows("Dahlia", "#import-sample")
    opened["#import-other"].click()
    opened.page.evaluate(PASTE, "id\tname\ttag\n7\tErica\theath\n")
    opened.assert_shows("Import Pasted rows", "#import")
    opened["#import-start"].click()
    opened.assert_shows("Imported Erica", "#toasts")
