"""Several stores: what began in one goes on in it, and nothing of it is seen in another."""

import re

import pytest
from msgspec import Struct
from playwright.sync_api import expect

from plantstore.model import Role
from tests.http.blocking import fill_store
from tests.service import Service
from tests.web.browser import OpenPage
from tests.web.page_driver import PageDriver, create_plants, list_plants


class Pair(Struct, frozen=True):
    """Two stores of one user: a token of each, and one that opens both, the first at first."""

    name: str
    second_name: str
    first: str
    second: str
    both: str


@pytest.fixture
def pair(service: Service, store: str) -> Pair:
    """Two stores that are empty."""
    user, second = f"owner-of-{store}", f"{store}-second"
    both = service.make_token(store, user, all_stores=True)
    return Pair(
        store, second, service.make_token(store, user), service.make_token(second, user), both
    )


def opened(open_page: OpenPage, service: Service, pair: Pair) -> PageDriver:
    """The first store with Fern and Aloe, while the second has Basil."""
    create_plants(
        service, pair.first, {"id": 1, "name": "Fern", "tag": "herb"}, {"id": 2, "name": "Aloe"}
    )
    create_plants(service, pair.second, {"id": 9, "name": "Basil"})
    driver = open_page().sign_in(pair.both)
    driver.assert_count("2 plants")
    return driver


def switch_store(driver: PageDriver, pair: Pair) -> None:
    driver["#stores"].select_option(pair.second_name)
    driver.assert_shows("Basil", "#rows")


def test_a_delete_of_many_goes_on_in_its_store(
    open_page: OpenPage, service: Service, pair: Pair
) -> None:
    fill_store(service, pair.name, 100)
    fill_store(service, pair.second_name, 101)
    driver = open_page().sign_in(pair.both)
    driver.assert_count("100 plants")
    held = driver.hold("**/plants/*")
    driver["#grid"].press("Control+a")
    driver["#grid"].press("Delete")
    driver["#confirm [value=yes]"].click()
    driver.wait_until(lambda: held.routes)
    driver["#stores"].select_option(pair.second_name)
    driver.assert_count("101 plants")
    held.release()
    driver.assert_shows("Deleted 100 plants", "#toasts")
    assert list_plants(service, pair.first) == []
    assert len(list_plants(service, pair.second)) == 101
    driver.undo()
    driver.wait_until(lambda: len(list_plants(service, pair.first)) == 100)
    driver.assert_shows("100 plants are back", "#toasts")
    driver.assert_count("101 plants")
    assert len(list_plants(service, pair.second)) == 101


def test_an_undo_goes_on_in_its_store(open_page: OpenPage, service: Service, pair: Pair) -> None:
    driver = opened(open_page, service, pair)
    driver.page.get_by_role("button", name="Delete Fern").click()
    driver.assert_shows("Deleted Fern", "#toasts")
    held = driver.hold("**/plants")
    driver.undo()
    driver.wait_until(lambda: held.routes)
    switch_store(driver, pair)
    held.release()
    driver.assert_shows("Fern is back", "#toasts")
    assert len(list_plants(service, pair.first)) == 2
    assert len(list_plants(service, pair.second)) == 1
    assert driver.names() == ["Basil"]


def test_an_undo_is_offered_by_the_store_of_the_delete(
    open_page: OpenPage, service: Service, pair: Pair
) -> None:
    service.make_token(f"{pair.second_name}-r", "somebody")
    service.make_token(f"{pair.second_name}-r", f"owner-of-{pair.name}", role=Role.READER)
    driver = opened(open_page, service, pair)
    held = driver.hold("**/plants/1")
    driver.page.get_by_role("button", name="Delete Fern").click()
    driver.wait_until(lambda: held.routes)
    driver["#stores"].select_option(f"{pair.second_name}-r")
    driver.assert_shows("reader", "#role")
    held.release()
    driver.assert_shows(f"Deleted Fern in {pair.name}", "#toasts")
    driver.undo()
    driver.assert_shows(f"Fern is back in {pair.name}", "#toasts")
    assert len(list_plants(service, pair.first)) == 2


def test_the_newest_undo_is_offered_among_many(
    open_page: OpenPage, service: Service, pair: Pair
) -> None:
    create_plants(service, pair.second, {"id": 10, "name": "Sage"})
    driver = opened(open_page, service, pair)
    deletes = {"Fern": pair.second_name, "Basil": pair.name, "Aloe": pair.second_name, "Sage": None}
    for name, next_store in deletes.items():
        driver.page.get_by_role("button", name=f"Delete {name}").click()
        driver.assert_shows(f"Deleted {name}", "#toasts")
        if next_store:
            driver["#stores"].select_option(next_store)
    driver["#toasts .toast"].last.get_by_role("button", name="Undo").click()
    driver.assert_shows("Sage is back", "#toasts")
    assert [one["name"] for one in list_plants(service, pair.second)] == ["Sage"]


def test_an_add_goes_on_in_its_store(open_page: OpenPage, service: Service, pair: Pair) -> None:
    driver = opened(open_page, service, pair)
    held = driver.hold("**/plants")
    driver.submit_plant("Ficus", plant_id="3")
    driver.wait_until(lambda: held.routes)
    switch_store(driver, pair)
    held.release()
    driver.wait_until(lambda: len(list_plants(service, pair.first)) == 3)
    driver.settle()
    assert driver.names() == ["Basil"]
    assert len(list_plants(service, pair.second)) == 1


def test_an_export_is_of_the_store_where_it_began(
    open_page: OpenPage, service: Service, pair: Pair
) -> None:
    driver = opened(open_page, service, pair)
    held = driver.hold(re.compile(rf"/stores/{pair.name}/plants\?"))
    with driver.page.expect_download() as download:
        driver["#export-summary"].click()
        driver["#export-csv"].click()
        driver.wait_until(lambda: held.routes)
        switch_store(driver, pair)
        held.release()
    assert download.value.suggested_filename == f"{pair.name}.csv"
    text = download.value.path().read_bytes().decode()
    assert text == "id,name,tag\r\n1,Fern,herb\r\n2,Aloe,\r\n"


def test_stores_passed_by_quickly_are_not_mixed(
    open_page: OpenPage, service: Service, pair: Pair
) -> None:
    service.make_token(f"{pair.name}-third", f"owner-of-{pair.name}")
    fill_store(service, f"{pair.name}-third", 3)
    driver = opened(open_page, service, pair)
    held = driver.hold("**/plants?*")
    driver["#stores"].press("ArrowDown")
    driver["#stores"].press("ArrowDown")
    expect(driver["#stores"]).to_have_value(f"{pair.name}-third")
    driver.wait_until(lambda: held.routes)
    held.release()
    driver.assert_count("3 plants")
    driver.settle()
    driver.assert_count("3 plants")
    assert len(driver.names()) == 3


def test_a_refresh_under_way_is_not_of_the_next_store(
    open_page: OpenPage, service: Service, pair: Pair
) -> None:
    driver = opened(open_page, service, pair)
    create_plants(service, pair.first, {"id": 3, "name": "Ficus"})
    held = driver.hold("**/plants?*")
    driver.refocus()
    driver.wait_until(lambda: held.routes)
    driver["#stores"].select_option(pair.second_name)
    held.release()
    driver.assert_count("1 plant")
    driver.settle()
    driver.assert_count("1 plant")
    assert driver.names() == ["Basil"]


def test_another_store_is_shown_whole(open_page: OpenPage, service: Service, pair: Pair) -> None:
    driver = opened(open_page, service, pair)
    driver["#tag-filter"].select_option("=herb")
    driver["#find"].fill("fer")
    driver.assert_count("1 of 2 plants")
    switch_store(driver, pair)
    driver.assert_count("1 plant")
    expect(driver["#find"]).to_have_value("")
    expect(driver["#tag-filter"]).to_have_value("")
