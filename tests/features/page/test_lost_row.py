"""Rows that somebody else removes: until the user chooses a row, keys change nothing."""

import pytest
from playwright.sync_api import expect

from tests.features.page.page_driver import PageDriver
from tests.service import JSON

TREES = ("Alder", "Birch", "Cedar", "Dogwood")
LOST = "Your row is no longer in the list"


@pytest.fixture
def list_page(driver: PageDriver) -> PageDriver:
    """The list of four trees, for the signed-in owner."""
    driver.create_plants(*({"id": n, "name": name} for n, name in enumerate(TREES, start=1)))
    driver.sign_in().assert_count("4 plants")
    return driver


def delete(driver: PageDriver, plant_id: int) -> None:
    """Delete a plant as somebody else, and wait until the page has heard of it."""
    with driver.service.client(driver.owner) as client:
        client.delete(f"/plants/{plant_id}").raise_for_status()
    expect(driver["#rows .text"].get_by_text(TREES[plant_id - 1], exact=True)).to_have_count(0)


def stored(driver: PageDriver) -> list[tuple[str, str | None]]:
    driver.settle()
    return [(plant["name"], plant.get("tag")) for plant in driver.list_plants()]


def type_on(driver: PageDriver) -> None:
    """Type on as into an editor, with all keys that would change plants in the list."""
    driver.type(" glutinosa +?/#\nOak robur\n", delay=5)
    for key in ("Delete", "ArrowLeft", "Home", "F2", "Control+z", "Control+i", "Space", "Enter"):
        driver.page.keyboard.press(key)


def assert_nothing_changed(driver: PageDriver, *names: str) -> None:
    assert stored(driver) == [(name, None) for name in names]
    expect(driver["#grid"]).to_be_focused()
    expect(driver["#grid"]).to_have_attribute("aria-activedescendant", "")
    expect(driver["#find"]).to_have_value("")
    for shown in (".cell-input", "dialog[open]:not(#panel)", "#rows [aria-selected=true]"):
        expect(driver[shown]).to_have_count(0)


def test_typing_goes_on_in_no_other_plant_when_the_edited_plant_is_deleted(
    list_page: PageDriver,
) -> None:
    list_page["#rows .name"].first.dblclick()
    list_page.type("Alnus")
    delete(list_page, 1)
    type_on(list_page)
    assert_nothing_changed(list_page, "Birch", "Cedar", "Dogwood")
    list_page.assert_shows("Not saved: Alnus. The plant is no longer in the list.", "#message")
    list_page.page.keyboard.press("ArrowDown")
    assert list_page.active_name() == "Birch"
    list_page.page.keyboard.press("Delete")
    assert stored(list_page) == [("Cedar", None), ("Dogwood", None)]


def test_keys_do_nothing_in_a_list_that_somebody_else_has_emptied(driver: PageDriver) -> None:
    driver.create_plants({"id": 1, "name": "Alder"})
    driver.sign_in().assert_count("1 plant")
    driver["#rows .name"].click()
    delete(driver, 1)
    driver.page.keyboard.press("Shift+ArrowDown")  # an error of the page fails the test
    driver.settle()


@pytest.mark.parametrize("typed", ["", "Betula"])
def test_typing_in_the_panel_goes_on_in_no_other_plant(list_page: PageDriver, typed: str) -> None:
    list_page.open("/livez").open(f"/#store={list_page.store}&plant=2")  # row 1 is active
    expect(list_page["#panel-title"]).to_have_text("Birch")
    list_page["#panel-name"].focus()
    list_page.type(typed)
    delete(list_page, 2)
    type_on(list_page)
    assert_nothing_changed(list_page, "Alder", "Cedar", "Dogwood")
    list_page["#rows .name"].nth(1).click()
    list_page.page.keyboard.press("Delete")
    assert stored(list_page) == [("Alder", None), ("Dogwood", None)]


def test_delete_deletes_no_neighbour_of_a_row_that_somebody_else_deleted(
    list_page: PageDriver,
) -> None:
    list_page["#grid"].press("ArrowDown")
    delete(list_page, 2)
    list_page.page.keyboard.press("Delete")
    list_page.assert_shows(LOST, "#message")
    for key in ("Enter", "F2", "Space", "#", "Control+a", "Control+i", "Delete"):
        list_page.page.keyboard.press(key)
    assert_nothing_changed(list_page, "Alder", "Cedar", "Dogwood")
    list_page.page.keyboard.press("ArrowUp")
    assert list_page.active_name() == "Alder"
    delete(list_page, 1)
    list_page.type("ced\n")  # a search, which begins with its first row
    list_page.assert_count("1 of 2 plants")
    list_page.page.keyboard.press("Delete")
    list_page.assert_shows("Deleted Cedar", "#message")


def test_a_selection_is_not_deleted_by_a_key_for_the_lost_row(list_page: PageDriver) -> None:
    list_page["#rows .check"].nth(3).click()
    list_page["#rows .name"].first.dblclick()
    delete(list_page, 1)
    list_page.page.keyboard.press("Delete")
    assert stored(list_page) == [(name, None) for name in TREES[1:]]
    list_page["#delete-selected"].click()
    list_page.assert_shows("Deleted Dogwood", "#message")


def test_a_row_that_somebody_else_moved_out_of_the_search_is_lost_too(
    list_page: PageDriver,
) -> None:
    list_page["#grid"].press("/")
    list_page.type("d\n")  # Alder, Cedar, Dogwood
    list_page.assert_count("3 of 4 plants")
    with list_page.service.client(list_page.owner) as client:
        client.put("/plants/1", json={"name": "Elm"}, headers=JSON).raise_for_status()
    list_page.assert_count("2 of 4 plants")
    list_page.page.keyboard.press("Delete")
    list_page.assert_shows(LOST, "#message")
    assert len(stored(list_page)) == 4


@pytest.mark.parametrize("has_stream", [True, False])
def test_after_an_own_change_the_next_row_is_active(
    list_page: PageDriver, *, has_stream: bool
) -> None:
    if not has_stream:
        list_page.block_streams().page.reload()
        list_page.assert_count("4 plants")
    list_page["#grid"].press("/")
    list_page.type("d\n")
    list_page.assert_count("3 of 4 plants")
    for name in ("Elm", "Fir", "Gum"):
        list_page["#grid"].press("F2")
        list_page.type(f"{name}\n")
        list_page.assert_shows(f"Changed {name}", "#message")
    assert [name for name, _ in stored(list_page)] == ["Elm", "Birch", "Fir", "Gum"]
