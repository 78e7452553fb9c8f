"""Deleting what one meant and no more, however long a key is held or a button is clicked."""

import pytest
from playwright.sync_api import expect

from tests.http.stalls import fill_store
from tests.service import Service
from tests.web.visitor import Visit, Visitor, list_all, plant


@pytest.fixture
def visitor(visit: Visit, shop: Service, store: str, owner: str) -> Visitor:
    """A visitor at a list of twenty plants."""
    fill_store(shop, store, 20)
    visitor = visit().sign_in(owner)
    visitor.counts("20 plants")
    return visitor


def select_sixty(visitor: Visitor, store: str) -> None:
    """Sixty plants in the list, all of them selected."""
    fill_store(visitor.service, store, 60)
    visitor.page.reload()
    visitor.counts("60 plants")
    visitor["#grid"].press("Control+a")
    visitor.sees("60 selected", "#selection")


def test_delete_held_deletes_one(visitor: Visitor, shop: Service, owner: str) -> None:
    visitor["#grid"].focus()
    visitor.page.keyboard.down("Delete")
    visitor.counts("19 plants")
    visitor.keeps_pressing("Delete")
    visitor.rest()
    visitor.counts("19 plants")
    assert len(list_all(shop, owner)) == 19


def test_a_double_click_deletes_one(visitor: Visitor, shop: Service, owner: str) -> None:
    visitor["#rows .remove"].nth(2).hover()
    visitor.page.mouse.down()
    visitor.page.mouse.up()
    visitor.counts("19 plants")
    visitor.page.mouse.down(click_count=2)
    visitor.page.mouse.up(click_count=2)
    visitor.rest()
    visitor.counts("19 plants")
    assert len(list_all(shop, owner)) == 19


def test_backspace_deletes_nothing(visitor: Visitor) -> None:
    asked = visitor.asked("DELETE")
    visitor["#grid"].press("Backspace")
    visitor.rest()
    assert asked == []
    visitor.counts("20 plants")


def test_five_in_a_row_are_put_back_at_once(visitor: Visitor, shop: Service, owner: str) -> None:
    before = list_all(shop, owner)
    for left in range(19, 14, -1):
        visitor["#rows .remove"].first.click()
        visitor.counts(f"{left} plants")
    visitor.sees("Deleted 5 plants", "#toasts")
    expect(visitor["#toasts > *"]).to_have_count(1)
    visitor.undo()
    visitor.counts("20 plants")
    assert list_all(shop, owner) == before


def test_one_that_is_being_deleted_is_not_deleted_again(
    visitor: Visitor, shop: Service, owner: str
) -> None:
    asked = visitor.asked("DELETE")
    held = visitor.hold("**/plants/*")
    for _ in range(2):
        visitor["#grid"].press("Delete")
        visitor.until(lambda: held.routes)
    visitor.rest()
    held.let_go()
    visitor.counts("19 plants")
    visitor.rest()
    assert len(asked) == 1
    expect(visitor["#toasts > *"]).to_have_count(1)
    assert len(list_all(shop, owner)) == 19


@pytest.mark.parametrize("field", ["#add-name", "#find"])
def test_a_late_answer_leaves_the_focus_to_who_types(visitor: Visitor, field: str) -> None:
    held = visitor.hold("**/plants/*")
    visitor["#rows .remove"].first.click()
    visitor.until(lambda: held.routes)
    visitor[field].click()
    visitor.page.keyboard.type("0000")
    held.let_go()
    visitor.sees("Deleted 000001xxxx", "#toasts")
    visitor.rest()
    expect(visitor[field]).to_be_focused()
    visitor.page.keyboard.type("1")
    expect(visitor[field]).to_have_value("00001")


def test_the_question_proposes_to_cancel(visitor: Visitor, store: str) -> None:
    select_sixty(visitor, store)
    visitor["#grid"].press("Delete")
    expect(visitor["#confirm [value=no]"]).to_be_focused()


def test_enter_held_does_not_answer_the_question(
    visitor: Visitor, shop: Service, store: str, owner: str
) -> None:
    select_sixty(visitor, store)
    visitor["#delete-selected"].focus()
    visitor.page.keyboard.down("Enter")
    expect(visitor["#confirm"]).to_be_visible()
    visitor.keeps_pressing("Enter")
    visitor.rest()
    assert len(list_all(shop, owner)) == 60


def test_what_somebody_put_there_already_is_back(
    visitor: Visitor, shop: Service, owner: str
) -> None:
    visitor["#rows .remove"].nth(2).click()
    visitor.sees("Deleted 000003xxxx", "#toasts")
    plant(shop, owner, {"id": 3, "name": "000003xxxx"})
    visitor.undo()
    visitor.sees("000003xxxx is back", "#toasts")
    expect(visitor["#toasts"]).not_to_contain_text("not put back")
    visitor.counts("20 plants")
