"""Adding plants: the next id, Enter, and the service's own words beside the field."""

import pytest
from playwright.sync_api import Route, expect

from tests.service import Service
from tests.web.visitor import Visit, list_all, plant

LONG = "x" * 257


def test_enter_adds_and_makes_ready_for_the_next(visit: Visit, shop: Service, owner: str) -> None:
    visitor = visit().sign_in(owner)
    expect(visitor["#add-id"]).to_have_value("1")
    visitor["#add-name"].focus()
    for number, name in enumerate(("Fern", "Aloe", "Basil"), start=1):
        visitor.page.keyboard.type(name)
        visitor.page.keyboard.press("Enter")
        visitor.sees(f"Added {name}, id {number}", "#add-done")
        expect(visitor["#add-name"]).to_be_focused()
        expect(visitor["#add-name"]).to_have_value("")
        expect(visitor["#add-id"]).to_have_value(str(number + 1))
    visitor.counts("3 plants")
    assert [one["name"] for one in list_all(shop, owner)] == ["Fern", "Aloe", "Basil"]


def test_an_id_of_ones_own_takes_its_place_in_the_list(
    visit: Visit, shop: Service, owner: str
) -> None:
    plant(shop, owner, {"id": 1, "name": "One"}, {"id": 9007199254740993, "name": "Great"})
    visitor = visit().sign_in(owner)
    expect(visitor["#add-id"]).to_have_value("9007199254740994")
    visitor.adds("Between", "herb", "9007199254740992")
    visitor.adds("Next")
    assert visitor.names() == ["One", "Between", "Great", "Next"]
    assert list_all(shop, owner)[1:3] == [
        {"id": 9007199254740992, "name": "Between", "tag": "herb"},
        {"id": 9007199254740993, "name": "Great"},
    ]
    visitor.sees("herb", "#tag-bars")


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ({"id": "1", "name": "X"}, "the id 1 belongs to another plant of this store"),
        ({"id": "1", "name": "Fern"}, "this very plant, with the id 1, is in the store already"),
        ({"id": "one"}, "id must be a whole number, such as 7"),
        ({"id": "1.5"}, "id must be a whole number, such as 7"),
        ({"id": "007"}, "id must be a whole number, such as 7"),
        ({"id": " "}, "id is missing"),
        ({"id": str(2**63)}, "id must be from -9223372036854775808"),
        ({"name": ""}, "name is missing"),
        ({"name": LONG}, "name must be 1 to 256 characters long, not 257"),
        ({"name": "  "}, "name must not be only white space"),
        ({"tag": "y" * 65}, "tag must be 1 to 64 characters long, not 65"),
        ({"tag": " "}, "tag must not be only white space"),
    ],
)
def test_a_refusal_stands_beside_its_field(
    visit: Visit, shop: Service, owner: str, typed: dict[str, str], words: str
) -> None:
    """The field that it is about comes first in ``typed``."""
    plant(shop, owner, {"id": 1, "name": "Fern"})
    visitor = visit().sign_in(owner)
    expect(visitor["#add-id"]).to_have_value("2")
    field = next(iter(typed))
    texts = {"name": "X", "tag": "", "id": "2"} | typed
    visitor.add(texts["name"], texts["tag"], texts["id"])
    visitor.sees(words, f"#add-{field}-fault")
    expect(visitor["#announcements"]).to_contain_text(words)
    expect(visitor[f"#add-{field}"]).to_be_focused()
    expect(visitor[f"#add-{field}"]).to_have_attribute("aria-invalid", "true")
    for other, text in texts.items():
        expect(visitor[f"#add-{other}"]).to_have_value(text)
    assert len(list_all(shop, owner)) == 1
    visitor[f"#add-{field}"].fill("3")
    expect(visitor[f"#add-{field}-fault"]).to_be_hidden()


def test_after_a_lost_answer_a_plant_is_added_once(visit: Visit, shop: Service, owner: str) -> None:
    visitor = visit().sign_in(owner)
    expect(visitor["#add-id"]).to_have_value("1")

    def lose_answer(route: Route) -> None:
        route.fetch()
        route.abort()

    visitor.page.route("**/plants", lose_answer)
    visitor.add("Fern")
    visitor.sees("The server cannot be reached", "#add-fault")
    expect(visitor["#add-name"]).to_have_value("Fern")
    visitor.page.unroute("**/plants")
    visitor["#add-button"].click()
    visitor.sees("Added Fern, id 1", "#add-done")
    assert list_all(shop, owner) == [{"id": 1, "name": "Fern"}]


def test_pressing_enter_twice_adds_once(visit: Visit, shop: Service, owner: str) -> None:
    visitor = visit().sign_in(owner)
    expect(visitor["#add-id"]).to_have_value("1")
    held = visitor.hold("**/plants")
    visitor.add("Fern")
    visitor.sees("Adding…", "#add-button")
    visitor["#add-tag"].press("Enter")
    held.let_go()
    visitor.sees("Added Fern", "#add-done")
    assert len(held.routes) == 1
    assert len(list_all(shop, owner)) == 1
