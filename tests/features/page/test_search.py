"""The search, the filter by tags, the panel of a plant, and their addresses."""

import pytest
from playwright.sync_api import expect

from tests.features.page.page_driver import PageDriver

PLANTS = (
    ("Monstera deliciosa ‘Zebra’", "bed 3"),
    ("Monstera adansonii", "bed 1"),
    ("Calathea “Zebrina”", None),
    ("Hélianthus annuus", "sold"),
)


@pytest.fixture
def list_page(driver: PageDriver) -> PageDriver:
    """The list of these plants, for the signed-in owner."""
    driver.create_many(
        {"id": n, "name": name, **({"tag": tag} if tag else {})}
        for n, (name, tag) in enumerate(PLANTS, start=1)
    )
    driver.sign_in().assert_count("4 plants")
    return driver


def test_a_search_without_matches_names_its_text_and_can_be_cleared(list_page: PageDriver) -> None:
    list_page.page.keyboard.press("ControlOrMeta+k")
    list_page.type('"zebr 3', delay=10)
    expect(list_page["#rows .id"]).to_have_text(["1", "3"])
    list_page.page.keyboard.press("ControlOrMeta+a")
    list_page.type("bed 9")
    list_page.assert_shows("No plants match bed 9.", "#state-nothing")
    list_page["#nothing-clear"].click()
    list_page.assert_count("4 plants")


def test_arrow_down_moves_from_the_search_to_the_rows(list_page: PageDriver) -> None:
    list_page["#grid"].press("/")
    list_page.type("monstera")
    for _ in range(2):
        list_page.page.keyboard.press("ArrowDown")
    assert list_page.active_name() == "Monstera adansonii"


def test_filters_have_chips_and_are_part_of_the_address(list_page: PageDriver) -> None:
    list_page["#filter-open"].click()
    list_page["#filter-menu"].get_by_text("bed 3").click()
    list_page["#filter-menu"].get_by_text("sold").click()
    list_page.assert_count("2 of 4 plants")
    list_page.page.keyboard.press("Escape")
    list_page.page.reload()
    list_page.assert_count("2 of 4 plants")
    list_page["#grid"].press("/")
    list_page.type("h")
    expect(list_page["#search button"]).to_have_count(3)  # two chips, and one to clear all
    list_page.page.keyboard.press("Escape")
    list_page["#chips"].get_by_text("sold").click()
    list_page.assert_count("1 of 4 plants")
    list_page.page.go_back()
    list_page.assert_count("2 of 4 plants")


def test_the_panel_has_an_address_that_opens_its_plant(list_page: PageDriver) -> None:
    list_page["#grid"].press("Control+i")
    expect(list_page["#panel-title"]).to_have_text("Monstera deliciosa ‘Zebra’")
    assert "plant=1" in list_page.address()
    assert list_page.page.title() == f"Monstera deliciosa ‘Zebra’ · {list_page.store}"
    list_page.page.reload()
    expect(list_page["#panel-title"]).to_have_text("Monstera deliciosa ‘Zebra’")
    list_page["#panel-close"].click()
    assert "plant=" not in list_page.address()
    assert list_page.page.title() == f"{list_page.store} · Plant Store"


def test_the_panel_follows_the_arrow_keys_and_saves_edits(list_page: PageDriver) -> None:
    list_page["#grid"].press("Control+i")
    list_page.page.keyboard.press("ArrowDown")
    expect(list_page["#panel-title"]).to_have_text("Monstera adansonii")
    list_page["#panel-name"].click()
    list_page.page.keyboard.press("ControlOrMeta+a")
    list_page.type("Monstera obliqua\n")
    list_page.assert_stored(2, "Monstera obliqua", "bed 1")
    for focused in ("#grid", "#panel-name"):
        list_page["#grid"].press("Control+i")
        list_page[focused].focus()
        list_page.page.keyboard.press("Escape")
        expect(list_page["#panel"]).to_be_hidden()


def test_a_link_to_an_inaccessible_store_opens_no_other_store(list_page: PageDriver) -> None:
    list_page.open_with_token(list_page.owner, "/#store=greenhouse-of-others&tag=bed+3")
    list_page.assert_shows("You have no access to greenhouse-of-others.", "#state-barred")
    expect(list_page["#rows .row"]).to_have_count(0)
    list_page["#barred-open"].click()
    list_page.assert_count("4 plants")


def test_an_address_of_an_unknown_plant_says_that_there_is_none(list_page: PageDriver) -> None:
    list_page.open_with_token(list_page.owner, f"/#store={list_page.store}&plant=99999999")
    list_page.assert_shows("There is no plant 99999999 in this store.", "#panel-gone")
