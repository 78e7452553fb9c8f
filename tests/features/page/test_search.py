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
def filled(driver: PageDriver) -> PageDriver:
    """The list of these plants, for the signed-in owner."""
    driver.create_many(
        {"id": n, "name": name, **({"tag": tag} if tag else {})}
        for n, (name, tag) in enumerate(PLANTS, start=1)
    )
    driver.sign_in().assert_count("4 plants")
    return driver


def test_a_search_without_matches_names_its_text_and_can_be_cleared(filled: PageDriver) -> None:
    filled.page.keyboard.press("ControlOrMeta+k")
    filled.type('"zebr 3', delay=10)
    expect(filled["#rows .id"]).to_have_text(["1", "3"])
    filled.page.keyboard.press("ControlOrMeta+a")
    filled.type("bed 9")
    filled.assert_shows("No plants match bed 9.", "#state-nothing")
    filled["#nothing-clear"].click()
    filled.assert_count("4 plants")


def test_arrow_down_moves_from_the_search_to_the_rows(filled: PageDriver) -> None:
    filled["#grid"].press("/")
    filled.type("monstera")
    for _ in range(2):
        filled.page.keyboard.press("ArrowDown")
    assert filled.active_name() == "Monstera adansonii"


def test_filters_have_chips_and_are_part_of_the_address(filled: PageDriver) -> None:
    filled["#filter-open"].click()
    filled["#filter-menu"].get_by_text("bed 3").click()
    filled["#filter-menu"].get_by_text("sold").click()
    filled.assert_count("2 of 4 plants")
    filled.page.keyboard.press("Escape")
    filled.page.reload()
    filled.assert_count("2 of 4 plants")
    filled["#grid"].press("/")
    filled.type("h")
    expect(filled["#search button"]).to_have_count(3)  # two chips, and one to clear all
    filled.page.keyboard.press("Escape")
    filled["#chips"].get_by_text("sold").click()
    filled.assert_count("1 of 4 plants")
    filled.page.go_back()
    filled.assert_count("2 of 4 plants")


def test_the_panel_has_an_address_that_opens_its_plant(filled: PageDriver) -> None:
    filled["#grid"].press("i")
    expect(filled["#panel-title"]).to_have_text("Monstera deliciosa ‘Zebra’")
    assert "plant=1" in filled.page.url
    assert filled.page.title() == f"Monstera deliciosa ‘Zebra’ · {filled.store}"
    filled.page.reload()
    expect(filled["#panel-title"]).to_have_text("Monstera deliciosa ‘Zebra’")
    filled["#panel-close"].click()
    assert "plant=" not in filled.page.url
    assert filled.page.title() == f"{filled.store} · Plant Store"


def test_the_panel_follows_the_arrow_keys_and_saves_edits(filled: PageDriver) -> None:
    filled["#grid"].press("i")
    filled.page.keyboard.press("ArrowDown")
    expect(filled["#panel-title"]).to_have_text("Monstera adansonii")
    filled["#panel-name"].click()
    filled.page.keyboard.press("ControlOrMeta+a")
    filled.type("Monstera obliqua\n")
    filled.assert_stored(2, "Monstera obliqua", "bed 1")
    for focused in ("#grid", "#panel-name"):
        filled["#grid"].press("i")
        filled[focused].focus()
        filled.page.keyboard.press("Escape")
        expect(filled["#panel"]).to_be_hidden()


def test_a_link_to_an_inaccessible_store_opens_no_other_store(filled: PageDriver) -> None:
    filled.open_with_token(filled.owner, "/#store=greenhouse-of-others&tag=bed+3")
    filled.assert_shows("You have no access to greenhouse-of-others.", "#state-barred")
    expect(filled["#rows .row"]).to_have_count(0)
    filled["#barred-open"].click()
    filled.assert_count("4 plants")


def test_an_address_of_an_unknown_plant_says_that_there_is_none(filled: PageDriver) -> None:
    filled.open_with_token(filled.owner, f"/#store={filled.store}&plant=99999999")
    filled.assert_shows("There is no plant 99999999 in this store.", "#panel-gone")
