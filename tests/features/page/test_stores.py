"""Switching stores: pending changes stay with their store, and no store shows another's plants."""

import pytest
from msgspec import Struct
from playwright.sync_api import expect

from tests.features.page.page_driver import PageDriver
from tests.http.blocking import fill_store
from tests.service import Service


class Pair(Struct, frozen=True):
    """Two stores of a user: their names, a token for each, and a token for both."""

    name: str
    second_name: str
    first: str
    second: str
    both: str


@pytest.fixture
def pair(service: Service, store: str) -> Pair:
    user, second = f"owner-of-{store}", f"{store}-second"
    both = service.make_token(store, user, all_stores=True)
    first, other = (service.make_token(name, user) for name in (store, second))
    return Pair(store, second, first, other, both)


@pytest.fixture
def list_page(driver: PageDriver, pair: Pair) -> PageDriver:
    """The list of the first store, with Fern and Aloe; the second store has Basil."""
    driver.create_plants(
        {"id": 1, "name": "Fern", "tag": "herb"}, {"id": 2, "name": "Aloe"}, token=pair.first
    )
    driver.create_plants({"id": 9, "name": "Basil"}, token=pair.second)
    driver.sign_in(pair.both).assert_count("2 plants")
    return driver


def test_a_bulk_delete_continues_in_its_store_after_a_switch(
    driver: PageDriver, pair: Pair
) -> None:
    fill_store(driver.service, pair.name, 100)
    fill_store(driver.service, pair.second_name, 101)
    driver.sign_in(pair.both).assert_count("100 plants")
    held = driver.hold("**/changes")
    driver["#grid"].press("Control+a")
    driver["#grid"].press("Delete")
    driver["#ask-yes"].click()
    driver.wait_until(lambda: held.routes)
    driver["#stores"].select_option(pair.second_name)
    driver.assert_count("101 plants")
    held.release()
    driver.assert_shows("Deleted 100 plants", "#message")
    assert driver.list_plants(pair.first) == []
    assert len(driver.list_plants(pair.second)) == 101
    driver.undo()
    driver.wait_until(lambda: len(driver.list_plants(pair.first)) == 100)
    driver.assert_shows("Restored 100 plants", "#message")
    driver.assert_count("101 plants")
    assert len(driver.list_plants(pair.second)) == 101


def test_a_new_plants_id_is_never_taken_from_another_stores_list(
    list_page: PageDriver, pair: Pair
) -> None:
    held = list_page.hold("**/plants?*")
    list_page.page.reload()
    list_page.wait_until(lambda: held.routes)
    list_page["#grid"].press("+")
    list_page.type("Ficus\nMint\n")
    list_page["#stores"].select_option(pair.second_name)
    held.release()
    list_page.assert_shows("Not saved: Mint. The list could not be loaded", "#message")
    list_page["#stores"].select_option(pair.name)
    list_page.assert_count("2 plants")
    expect(list_page["#rows .row.refused"]).to_have_count(2)  # both unsaved plants
    list_page["#message"].get_by_role("button", name="Try again").click()
    list_page.assert_shows("Added Mint (3)", "#message")
    list_page["#rows .row.refused"].get_by_role("button", name="Try again").click()
    list_page.assert_shows("Added Ficus (4)", "#message")
    assert len(list_page.list_plants(pair.second)) == 1


def test_an_edit_refused_after_a_switch_can_be_retried_in_its_store(
    list_page: PageDriver, pair: Pair
) -> None:
    held = list_page.hold("**/plants/1")
    list_page["#rows .name"].first.dblclick()
    list_page.type("Tree fern\n")
    list_page.wait_until(lambda: held.routes)
    list_page["#stores"].select_option(pair.second_name)
    list_page.assert_shows("Basil", "#rows")
    with list_page.service.client(pair.first) as client:
        client.delete("/plants/1").raise_for_status()
    held.release()
    text = "Not saved: Tree fern. Somebody else deleted this plant"
    list_page.assert_shows(f"{text} in {pair.name}", "#message")
    list_page["#stores"].select_option(pair.name)
    list_page.assert_count("1 plant")
    refused = list_page["#rows .row.refused"]
    expect(refused).to_contain_text("Tree fern")
    refused.get_by_role("button", name="Try again").click()
    list_page["#conflict [value=yours]"].click()
    list_page.assert_count("2 plants")
    expect(refused).to_have_count(0)
    assert list_page.list_plants(pair.first)[0] == {"id": 1, "name": "Tree fern", "tag": "herb"}


def test_switching_stores_quickly_shows_only_the_last_ones_plants(
    list_page: PageDriver, pair: Pair
) -> None:
    held = list_page.hold("**/plants?*")
    for _ in range(2):
        list_page["#stores"].press("ArrowDown")
    expect(list_page["#stores"]).to_have_value(pair.second_name)
    list_page.wait_until(lambda: held.routes)
    held.release()
    list_page.assert_count("1 plant")
    list_page.settle()
    list_page.assert_count("1 plant")
    assert list_page.names() == ["Basil"]


def test_switching_stores_clears_the_search_and_the_filter(
    list_page: PageDriver, pair: Pair
) -> None:
    list_page.filter("herb")
    list_page["#find"].fill("fer")
    list_page.assert_count("1 of 2 plants")
    list_page["#stores"].select_option(pair.second_name)
    list_page.assert_shows("Basil", "#rows")
    list_page.assert_count("1 plant")
    expect(list_page["#find"]).to_have_value("")
    expect(list_page["#chips"]).to_be_empty()
