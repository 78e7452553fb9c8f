"""The place in a long list: a click, a message or a change by others does not move it."""

import pytest
from playwright.sync_api import expect

from tests.http.stalls import fill_store
from tests.service import Service
from tests.web.visitor import Visit, Visitor

DOWN = 20_000
AIMED = """() => {
    const { left, top } = document.getElementById("grid").getBoundingClientRect();
    const row = document.elementFromPoint(left + 30, top + 300).closest("#rows .row");
    return row?.querySelector(".name").textContent;
}"""
TOP = "document.getElementById('grid').scrollTop"


@pytest.fixture
def visitor(visit: Visit, shop: Service, store: str, owner: str) -> Visitor:
    """A visitor at a long list."""
    fill_store(shop, store, 1000)
    visitor = visit().sign_in(owner)
    visitor.counts("1,000 plants")
    return visitor


def wheel(visitor: Visitor) -> None:
    """Turn the wheel until the list is far down."""
    visitor["#grid"].hover()
    visitor.page.mouse.wheel(0, DOWN)
    visitor.until(lambda: visitor.stays(TOP) == DOWN and visitor.stays(AIMED))


@pytest.mark.parametrize("focused", [None, "#grid", "#find"])
def test_a_click_far_down_selects_what_it_hits(visitor: Visitor, focused: str | None) -> None:
    if focused:
        visitor[focused].focus()
    wheel(visitor)
    aimed = visitor.stays(AIMED)
    visitor["#grid"].click(position={"x": 30, "y": 300})
    visitor.sees("1 selected", "#selection")
    assert visitor["#rows [aria-selected=true] .name"].all_inner_texts() == [aimed]
    assert visitor.stays(TOP) == DOWN


def test_what_others_delete_above_leaves_the_rows_in_sight(
    visitor: Visitor, shop: Service, owner: str
) -> None:
    wheel(visitor)
    aimed = visitor.stays(AIMED)
    with shop.client(owner) as client:
        for number in range(1, 6):
            client.delete(f"/plants/{number}").raise_for_status()
    visitor.comes_back()
    visitor.counts("995 plants")
    assert visitor.stays(AIMED) == aimed


def test_closing_a_message_leaves_the_list_where_it_is(visitor: Visitor) -> None:
    visitor["#rows .remove"].first.click()
    visitor.sees("Deleted 000001xxxx", "#toasts")
    wheel(visitor)
    visitor.page.get_by_role("button", name="Close this message").click()
    expect(visitor["#toasts > *"]).to_have_count(0)
    visitor.rest()
    assert visitor.stays(TOP) == DOWN
