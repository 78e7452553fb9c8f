"""Finding plants: as their names are spelt on other keyboards, and while they are still loaded."""

import json

import pytest
from playwright.sync_api import expect

from tests.http.stalls import fill_store
from tests.service import Service
from tests.web.visitor import Visit, plant

DISTINCT = 150_000


@pytest.mark.parametrize(
    ("name", "typed"),
    [
        ("Weißdorn", "weissdorn"),
        ("Weissdorn", "weißdorn"),
        ("ΟΔΟΣΑ", "ΟΔΟΣ"),
        ("œillet", "oeillet"),
        ("Ørsted", "orsted"),
        ("Épicéa", "epicea"),
        ("WEIẞDORN", "weißdorn"),
        ("Narcissus ‘Thalia’", "'thalia'"),
        ("Rosa 'Peace'", "‘peace’"),
        ("Mentha × piperita", "mentha x p"),
    ],
)
def test_a_name_is_found_as_it_is_typed(
    visit: Visit, shop: Service, owner: str, name: str, typed: str
) -> None:
    plant(shop, owner, {"id": 1, "name": "Fern"}, {"id": 2, "name": name})
    visitor = visit().sign_in(owner)
    visitor.counts("2 plants")
    visitor["#find"].fill(typed)
    visitor.counts("1 of 2 plants")
    assert visitor.names() == [name]


def test_vowels_of_other_scripts_are_no_accents(visit: Visit, shop: Service, owner: str) -> None:
    plant(shop, owner, {"id": 1, "name": "कि"}, {"id": 2, "name": "का"})
    visitor = visit().sign_in(owner)
    visitor.counts("2 plants")
    visitor["#find"].fill("का")
    visitor.counts("1 of 2 plants")
    assert visitor.names() == ["का"]


def test_nothing_found_is_said_when_all_is_loaded(
    visit: Visit, shop: Service, store: str, owner: str
) -> None:
    fill_store(shop, store, 3000)
    visitor = visit().open()
    held = visitor.hold("**/plants?*after=*")
    visitor.sign_in(owner)
    visitor.counts("1,000 plants so far")
    visitor["#find"].fill("2500")
    visitor.sees("0 of", "#count")
    visitor.rest()
    expect(visitor["#state-nothing"]).to_be_hidden()
    visitor["#find"].fill("no such plant")
    held.let_go()
    expect(visitor["#state-nothing"]).to_be_visible()
    visitor["#find"].fill("2500")
    visitor.counts("1 of 3,000 plants")


def test_each_plant_may_have_a_tag_of_its_own(visit: Visit, owner: str) -> None:
    plants = [{"id": n, "name": "Fern", "tag": f"bed {n}"} for n in range(DISTINCT)]
    visitor = visit()
    visitor.answer("**/plants?fields*", 200, json.dumps(plants))
    visitor.sign_in(owner)
    expect(visitor["#count"]).to_have_text("150,000 plants", timeout=60_000)
    expect(visitor["#state-error"]).to_be_hidden()
    visitor["#find"].fill("149999")
    visitor.counts("1 of 150,000 plants")
