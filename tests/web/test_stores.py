"""Several stores: what began in one goes on in it, and nothing of it is seen in another."""

import re

import pytest
from msgspec import Struct
from playwright.sync_api import expect

from plantstore.model import Role
from tests.http.stalls import fill_store
from tests.service import Service
from tests.web.visitor import Visit, Visitor, list_all, plant


class Pair(Struct, frozen=True):
    """Two stores of one user: a token of each, and one that opens both, the first at first."""

    name: str
    second_name: str
    first: str
    second: str
    both: str


@pytest.fixture
def pair(shop: Service, store: str) -> Pair:
    """Two stores that are empty."""
    user, second = f"owner-of-{store}", f"{store}-second"
    both = shop.make_token(store, user, all_stores=True)
    return Pair(store, second, shop.make_token(store, user), shop.make_token(second, user), both)


def opened(visit: Visit, shop: Service, pair: Pair) -> Visitor:
    """The first store with Fern and Aloe, while the second has Basil."""
    plant(shop, pair.first, {"id": 1, "name": "Fern", "tag": "herb"}, {"id": 2, "name": "Aloe"})
    plant(shop, pair.second, {"id": 9, "name": "Basil"})
    visitor = visit().sign_in(pair.both)
    visitor.counts("2 plants")
    return visitor


def switches(visitor: Visitor, pair: Pair) -> None:
    visitor["#stores"].select_option(pair.second_name)
    visitor.sees("Basil", "#rows")


def test_a_delete_of_many_goes_on_in_its_store(visit: Visit, shop: Service, pair: Pair) -> None:
    fill_store(shop, pair.name, 100)
    fill_store(shop, pair.second_name, 101)
    visitor = visit().sign_in(pair.both)
    visitor.counts("100 plants")
    held = visitor.hold("**/plants/*")
    visitor["#grid"].press("Control+a")
    visitor["#grid"].press("Delete")
    visitor["#confirm [value=yes]"].click()
    visitor.until(lambda: held.routes)
    visitor["#stores"].select_option(pair.second_name)
    visitor.counts("101 plants")
    held.let_go()
    visitor.sees("Deleted 100 plants", "#toasts")
    assert list_all(shop, pair.first) == []
    assert len(list_all(shop, pair.second)) == 101
    visitor.undo()
    visitor.until(lambda: len(list_all(shop, pair.first)) == 100)
    visitor.sees("100 plants are back", "#toasts")
    visitor.counts("101 plants")
    assert len(list_all(shop, pair.second)) == 101


def test_an_undo_goes_on_in_its_store(visit: Visit, shop: Service, pair: Pair) -> None:
    visitor = opened(visit, shop, pair)
    visitor.page.get_by_role("button", name="Delete Fern").click()
    visitor.sees("Deleted Fern", "#toasts")
    held = visitor.hold("**/plants")
    visitor.undo()
    visitor.until(lambda: held.routes)
    switches(visitor, pair)
    held.let_go()
    visitor.sees("Fern is back", "#toasts")
    assert len(list_all(shop, pair.first)) == 2
    assert len(list_all(shop, pair.second)) == 1
    assert visitor.names() == ["Basil"]


def test_an_undo_is_offered_by_the_store_of_the_delete(
    visit: Visit, shop: Service, pair: Pair
) -> None:
    shop.make_token(f"{pair.second_name}-r", "somebody")
    shop.make_token(f"{pair.second_name}-r", f"owner-of-{pair.name}", role=Role.READER)
    visitor = opened(visit, shop, pair)
    held = visitor.hold("**/plants/1")
    visitor.page.get_by_role("button", name="Delete Fern").click()
    visitor.until(lambda: held.routes)
    visitor["#stores"].select_option(f"{pair.second_name}-r")
    visitor.sees("reader", "#role")
    held.let_go()
    visitor.sees(f"Deleted Fern in {pair.name}", "#toasts")
    visitor.undo()
    visitor.sees(f"Fern is back in {pair.name}", "#toasts")
    assert len(list_all(shop, pair.first)) == 2


def test_the_newest_undo_is_offered_among_many(visit: Visit, shop: Service, pair: Pair) -> None:
    plant(shop, pair.second, {"id": 10, "name": "Sage"})
    visitor = opened(visit, shop, pair)
    deletes = {"Fern": pair.second_name, "Basil": pair.name, "Aloe": pair.second_name, "Sage": None}
    for name, next_store in deletes.items():
        visitor.page.get_by_role("button", name=f"Delete {name}").click()
        visitor.sees(f"Deleted {name}", "#toasts")
        if next_store:
            visitor["#stores"].select_option(next_store)
    visitor["#toasts .toast"].last.get_by_role("button", name="Undo").click()
    visitor.sees("Sage is back", "#toasts")
    assert [one["name"] for one in list_all(shop, pair.second)] == ["Sage"]


def test_an_add_goes_on_in_its_store(visit: Visit, shop: Service, pair: Pair) -> None:
    visitor = opened(visit, shop, pair)
    held = visitor.hold("**/plants")
    visitor.add("Ficus", plant_id="3")
    visitor.until(lambda: held.routes)
    switches(visitor, pair)
    held.let_go()
    visitor.until(lambda: len(list_all(shop, pair.first)) == 3)
    visitor.rest()
    assert visitor.names() == ["Basil"]
    assert len(list_all(shop, pair.second)) == 1


def test_an_export_is_of_the_store_where_it_began(visit: Visit, shop: Service, pair: Pair) -> None:
    visitor = opened(visit, shop, pair)
    held = visitor.hold(re.compile(rf"/stores/{pair.name}/plants\?"))
    with visitor.page.expect_download() as download:
        visitor["#export-summary"].click()
        visitor["#export-csv"].click()
        visitor.until(lambda: held.routes)
        switches(visitor, pair)
        held.let_go()
    assert download.value.suggested_filename == f"{pair.name}.csv"
    text = download.value.path().read_bytes().decode()
    assert text == "id,name,tag\r\n1,Fern,herb\r\n2,Aloe,\r\n"


def test_stores_passed_by_quickly_are_not_mixed(visit: Visit, shop: Service, pair: Pair) -> None:
    shop.make_token(f"{pair.name}-third", f"owner-of-{pair.name}")
    fill_store(shop, f"{pair.name}-third", 3)
    visitor = opened(visit, shop, pair)
    held = visitor.hold("**/plants?*")
    visitor["#stores"].press("ArrowDown")
    visitor["#stores"].press("ArrowDown")
    expect(visitor["#stores"]).to_have_value(f"{pair.name}-third")
    visitor.until(lambda: held.routes)
    held.let_go()
    visitor.counts("3 plants")
    visitor.rest()
    visitor.counts("3 plants")
    assert len(visitor.names()) == 3


def test_a_refresh_under_way_is_not_of_the_next_store(
    visit: Visit, shop: Service, pair: Pair
) -> None:
    visitor = opened(visit, shop, pair)
    plant(shop, pair.first, {"id": 3, "name": "Ficus"})
    held = visitor.hold("**/plants?*")
    visitor.comes_back()
    visitor.until(lambda: held.routes)
    visitor["#stores"].select_option(pair.second_name)
    held.let_go()
    visitor.counts("1 plant")
    visitor.rest()
    visitor.counts("1 plant")
    assert visitor.names() == ["Basil"]


def test_another_store_is_shown_whole(visit: Visit, shop: Service, pair: Pair) -> None:
    visitor = opened(visit, shop, pair)
    visitor["#tag-filter"].select_option("=herb")
    visitor["#find"].fill("fer")
    visitor.counts("1 of 2 plants")
    switches(visitor, pair)
    visitor.counts("1 plant")
    expect(visitor["#find"]).to_have_value("")
    expect(visitor["#tag-filter"]).to_have_value("")
