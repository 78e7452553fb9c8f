"""The list of plants: sorting, selecting, and stored text shown verbatim."""

import pytest
from playwright.sync_api import expect

from tests.features.page.page_driver import PageDriver


@pytest.fixture
def list_page(driver: PageDriver) -> PageDriver:
    """The list of four plants, for the signed-in owner."""
    driver.create_plants(
        {"id": 1, "name": "Fern 10", "tag": "shade"},
        {"id": 2, "name": "aloe"},
        {"id": 3, "name": "Fern 9", "tag": "shade"},
        {"id": 4, "name": "Basil", "tag": "herb"},
    )
    driver.sign_in().assert_count("4 plants")
    return driver


def sort_by(driver: PageDriver, order: str) -> None:
    driver[f"#grid [data-order={order}]"].click()


def test_each_column_header_sorts_the_list_in_both_directions(list_page: PageDriver) -> None:
    orders = {
        "tag": ["Basil", "Fern 9", "Fern 10", "aloe"],
        "id": ["Fern 10", "aloe", "Fern 9", "Basil"],
        "name": ["aloe", "Basil", "Fern 9", "Fern 10"],
    }
    for order, names in orders.items():
        sort_by(list_page, order)
        expect(list_page["#rows .name"]).to_have_text(names)
        header = list_page[f"[role=columnheader]:has([data-order={order}])"]
        expect(header).to_have_attribute("aria-sort", "ascending")
        sort_by(list_page, order)
        expect(list_page["#rows .name"]).to_have_text(names[::-1])
        expect(header).to_have_attribute("aria-sort", "descending")
    sort_by(list_page, "name")
    list_page.create_plants({"id": 9, "name": "Camellia"})
    names = ["aloe", "Basil", "Camellia", "Fern 9", "Fern 10"]
    expect(list_page["#rows .name"]).to_have_text(names)


def test_a_list_sorted_by_tag_is_sorted_again_when_plants_get_a_tag(list_page: PageDriver) -> None:
    list_page.block_streams().page.reload()
    list_page.assert_count("4 plants")
    sort_by(list_page, "tag")
    list_page["#rows .check"].nth(0).click()
    list_page["#retag-open"].click()
    list_page.type("wall\n")
    names = ["Fern 9", "Fern 10", "Basil", "aloe"]
    expect(list_page["#rows .name"]).to_have_text(names)


def test_select_all_selects_every_plant_and_export_writes_the_selection(
    list_page: PageDriver,
) -> None:
    list_page["#select-all"].click()
    list_page.assert_shows("4 selected", "#selection")
    list_page["#rows .check"].first.click()
    list_page.assert_shows("3 selected", "#selection")
    assert list_page["#select-all"].evaluate("(box) => box.indeterminate")
    sort_by(list_page, "name")
    list_page.assert_shows("3 selected", "#selection")
    exported = "id,name,tag\r\n2,aloe,\r\n4,Basil,herb\r\n3,Fern 9,shade\r\n"
    assert list_page.export()[1] == exported
    list_page["#select-all"].click()
    list_page["#select-all"].click()
    expect(list_page["#selection"]).to_be_hidden()


def test_the_page_shows_stored_markup_as_plain_text(driver: PageDriver) -> None:
    names = (
        "<script>document.title = 'broken'</script>",
        "<img src=x onerror=alert(1)>",
        "\"quotes' & ampersands &amp; `ticks`",
        "שרך חלק (fern) 12",
        "نخلة <b>bold</b>",
        "🌵 👨‍🌾 cactus",
        "{{ 7 * 7 }} ${7*7} {n}",
        "x" * 256,
    )
    tags = ("<i>tag</i>", "\"'>", "עשב", "🌿", "a" * 64)
    rows = ((number, name, tags[number % len(tags)]) for number, name in enumerate(names))
    driver.create_plants(*({"id": number, "name": name, "tag": tag} for number, name, tag in rows))
    driver.sign_in().assert_count(f"{len(names)} plants")
    assert driver["#rows .name"].all_text_contents() == list(names)
    driver["#filter-open"].click()
    assert set(driver["#filter-menu .pill"].all_text_contents()) == set(tags)
    driver.page.keyboard.press("Escape")
    driver["#grid"].press("Control+i")
    expect(driver["#panel-title"]).to_have_text(names[0])
    for selector in ("#rows img", "#rows script", "#rows b", "#filter-menu i"):
        assert driver[selector].count() == 0
    driver["#panel-delete"].click()
    driver.assert_shows(names[0], "#message")
