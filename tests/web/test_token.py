"""The token: kept through trouble, understood as it was copied, and opening less than before."""

import re
from collections.abc import Callable
from contextlib import closing

import pytest
from playwright.sync_api import Route, expect

from plantstore.bootstrap import open_administration
from plantstore.model import Role
from tests.http.stalls import fill_store
from tests.service import Service
from tests.web.visitor import Visit, plant

NO_STORAGE = """Object.defineProperty(window, "sessionStorage", {
    get() { throw new DOMException("denied", "SecurityError"); },
});"""


def answer_503(route: Route) -> None:
    body = '{"error": 50302, "message": "the database is not available: try again soon"}'
    route.fulfill(status=503, body=body, content_type="application/json")


def break_off(route: Route) -> None:
    route.abort()


@pytest.mark.parametrize("trouble", [answer_503, break_off])
def test_a_reload_in_trouble_keeps_the_token(
    visit: Visit, owner: str, trouble: Callable[[Route], None]
) -> None:
    visitor = visit().sign_in(owner)
    visitor.page.route("**/me", trouble)
    visitor.page.reload()
    expect(visitor["#sign-in-reason"]).to_be_visible()
    expect(visitor["#sign-in-reason"]).not_to_be_empty()
    expect(visitor["#token"]).to_have_value(owner)
    expect(visitor["#token"]).to_be_focused()
    assert visitor.stays("sessionStorage['plantstore/token']") == owner
    visitor.page.unroute("**/me")
    visitor.page.keyboard.press("Enter")  # where it has not gone on by itself
    expect(visitor["#app"]).to_be_visible()


def test_signing_out_while_signing_in_leaves_no_token(visit: Visit, owner: str) -> None:
    visitor = visit().sign_in(owner)
    held = visitor.hold("**/me")
    visitor.page.reload()
    visitor.until(lambda: held.routes)
    visitor["#sign-out"].click()
    expect(visitor["#sign-in"]).to_be_visible()
    visitor.rest()
    expect(visitor["#token"]).to_have_value("")
    expect(visitor["#sign-in-reason"]).to_be_hidden()
    assert visitor.stays("sessionStorage.length") == 0


def test_trouble_while_learning_what_is_allowed_keeps_the_token(
    visit: Visit, shop: Service, owner: str
) -> None:
    plant(shop, owner, {"id": 1, "name": "Fern"})
    visitor = visit().sign_in(owner)
    visitor.answer("**/plants/1", 403, '{"error": 40301, "message": "the token may not do this"}')
    visitor.answer("**/me", 429, '{"error": 42901, "message": "too many requests"}')
    visitor.page.get_by_role("button", name="Delete Fern").click()
    visitor.sees("Fern was not deleted: the token may not do this", "#toasts")
    visitor.rest()
    expect(visitor["#app"]).to_be_visible()
    assert visitor.stays("sessionStorage['plantstore/token']") == owner


def test_a_token_may_be_copied_with_its_header(visit: Visit, owner: str) -> None:
    visitor = visit().open()
    visitor.give_token(f"Bearer {owner}")
    expect(visitor["#app"]).to_be_visible()
    assert visitor.stays("sessionStorage['plantstore/token']") == owner


@pytest.mark.parametrize("form", ["“{}”", "{}\u200b"])
def test_what_no_token_has_in_it_is_told(visit: Visit, owner: str, form: str) -> None:
    visitor = visit().open()
    visitor.give_token(form.format(owner))
    expect(visitor["#sign-in-reason"]).to_be_visible()
    expect(visitor["#sign-in-reason"]).to_contain_text(re.compile("token", re.IGNORECASE))
    expect(visitor["#sign-in-reason"]).not_to_contain_text("cannot be reached")
    expect(visitor["#offline"]).to_be_hidden()


def test_without_storage_one_signs_in_and_works(visit: Visit, owner: str) -> None:
    visitor = visit()
    visitor.page.add_init_script(NO_STORAGE)
    visitor.sign_in(owner)
    visitor.adds("Fern")
    visitor.counts("1 plant")
    visitor["#sign-out"].click()
    expect(visitor["#sign-in"]).to_be_visible()


def test_a_role_taken_ends_a_delete_of_many(
    visit: Visit, shop: Service, store: str, owner: str
) -> None:
    assert owner
    fill_store(shop, store, 400)
    visitor = visit().sign_in(shop.make_token(store, "eve", role=Role.EDITOR))
    visitor.counts("400 plants")
    asked = visitor.asked("DELETE")
    visitor["#grid"].press("Control+a")
    visitor["#grid"].press("Delete")
    with closing(open_administration(shop.database)) as administration:
        administration.add_member(store, "eve", Role.READER)
    visitor["#confirm [value=yes]"].click()
    expect(visitor["#role"]).to_have_text("reader")
    expect(visitor["#toasts"]).to_contain_text(re.compile("not deleted|reader"))
    visitor.rest()
    assert len(asked) < 100
    visitor.counts("400 plants")


def test_a_store_that_was_deleted_makes_room_for_another(
    visit: Visit, shop: Service, store: str
) -> None:
    user, second = f"owner-of-{store}", f"{store}-second"
    token = shop.make_token(store, user, all_stores=True)
    shop.make_token(second, user)
    plant(shop, token, {"id": 1, "name": "Fern"})
    visitor = visit().sign_in(token)
    visitor["#stores"].select_option(second)
    expect(visitor["#state-empty"]).to_be_visible()
    with closing(open_administration(shop.database)) as administration:
        administration.delete_store(second)
    visitor.comes_back()
    visitor.sees("Fern", "#rows")
    expect(visitor["#toasts"]).to_contain_text("store")
    expect(visitor["#stores"].locator("option")).to_have_count(1)
