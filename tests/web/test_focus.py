"""The focus is always somewhere: what has it does not vanish, and keys do what they say."""

import pytest
from playwright.sync_api import expect

from tests.service import Service
from tests.web.visitor import Visit, Visitor, plant


def keeps_focus(visitor: Visitor) -> None:
    visitor.rest()
    expect(visitor["body"]).not_to_be_focused()


@pytest.fixture
def fern(visit: Visit, shop: Service, owner: str) -> Visitor:
    """A visitor at a list of one plant."""
    plant(shop, owner, {"id": 1, "name": "Fern"})
    visitor = visit().sign_in(owner)
    visitor.counts("1 plant")
    return visitor


@pytest.fixture
def empty(visit: Visit, owner: str) -> Visitor:
    """A visitor at an empty list."""
    visitor = visit().sign_in(owner)
    expect(visitor["#state-empty"]).to_be_visible()
    return visitor


def test_trying_again_keeps_it(visit: Visit, shop: Service, owner: str) -> None:
    plant(shop, owner, {"id": 1, "name": "Fern"})
    visitor = visit().open()
    visitor.answer("**/plants?*", 500, '{"error": 50001, "message": "the service failed"}')
    visitor.sign_in(owner)
    expect(visitor["#state-error"]).to_be_visible()
    visitor.page.unroute("**/plants?*")
    visitor["#retry"].press("Enter")
    visitor.counts("1 plant")
    keeps_focus(visitor)


def test_closing_a_message_keeps_it(fern: Visitor) -> None:
    fern["#grid"].press("Delete")
    fern.sees("Deleted Fern", "#toasts")
    expect(fern["#state-empty"]).to_be_visible()
    fern.page.get_by_role("button", name="Close this message").press("Enter")
    expect(fern["#toasts > *"]).to_have_count(0)
    keeps_focus(fern)


def test_an_import_into_an_empty_store_keeps_it(empty: Visitor) -> None:
    empty["#empty-import"].press("Enter")
    empty.gives_file("a.csv", "1,Fern\n")
    empty["#import-start"].press("Enter")
    expect(empty["#import-done"]).to_be_focused()
    empty.page.keyboard.press("Enter")
    empty.counts("1 plant")
    keeps_focus(empty)


def test_the_link_past_the_header_keeps_it(empty: Visitor) -> None:
    empty["a.skip"].press("Enter")
    keeps_focus(empty)
    expect(empty["a.skip"]).not_to_be_focused()


def test_the_menu_is_not_in_its_way(fern: Visitor) -> None:
    fern["#export-summary"].press("Enter")
    for _ in range(2):
        fern.page.keyboard.press("Tab")
    expect(fern["#export-ndjson"]).to_be_focused()
    fern.page.keyboard.press("Tab")
    expect(fern["#find"]).to_be_focused()
    expect(fern["#export-csv"]).to_be_hidden()


def test_slash_finds_from_the_list_alone(fern: Visitor) -> None:
    fern["#sign-out"].focus()
    fern.page.keyboard.press("/")
    expect(fern["#sign-out"]).to_be_focused()
    fern["#grid"].press("Control+/")
    expect(fern["#grid"]).to_be_focused()
    fern["#grid"].press("/")
    expect(fern["#find"]).to_be_focused()
    expect(fern["#find"]).to_have_value("")


def test_a_narrower_window_keeps_what_is_typed(fern: Visitor) -> None:
    fern["#add-name"].fill("Half typed")
    fern.page.set_viewport_size({"width": 390, "height": 800})
    fern.rest()
    expect(fern["#add-form"]).to_be_visible()
    expect(fern["#add-name"]).to_be_focused()
    expect(fern["#add-name"]).to_have_value("Half typed")
