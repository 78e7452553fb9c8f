"""Signing out, or being signed out: the next user finds nothing of the last one, and loses nothing.

Whatever the first user leaves has ``Secret`` in it.
"""

import re

import pytest
from msgspec import Struct
from playwright.sync_api import Route, expect

from tests.service import Service
from tests.web.visitor import Visit, Visitor, list_all, plant

TYPED = "[...document.querySelectorAll('input')].map((input) => input.value).join()"


class Users(Struct, frozen=True):
    """Two users, each with a token of a store of their own."""

    store: str
    ada: str
    ben: str


@pytest.fixture
def users(shop: Service, store: str) -> Users:
    """Ada has two plants, Ben has one with the same id."""
    ada = shop.make_token(store, f"ada-of-{store}")
    ben = shop.make_token(f"{store}-other", f"ben-of-{store}")
    plant(shop, ada, {"id": 1, "name": "Secret Fern"}, {"id": 2, "name": "Secret Aloe"})
    plant(shop, ben, {"id": 1, "name": "Basil"})
    return Users(store, ada, ben)


def opened(visitor: Visitor, users: Users) -> Visitor:
    visitor.sign_in(users.ada)
    visitor.counts("2 plants")
    return visitor


def leaves(visitor: Visitor, users: Users, how: str) -> None:
    if how == "signs out":
        visitor["#sign-out"].click()
    else:
        visitor.service.revoke(users.ada)
        visitor.comes_back()
        expect(visitor["#sign-in-reason"]).to_be_visible()
    expect(visitor["#sign-in"]).to_be_visible()


def welcomes(visitor: Visitor, token: str) -> None:
    visitor.give_token(token)
    visitor.counts("1 plant")


def finds_nothing(visitor: Visitor) -> None:
    assert "secret" not in visitor.page.content().lower()
    assert "secret" not in visitor.stays(TYPED).lower()
    assert visitor["#toasts"].text_content() == ""
    expect(visitor["#import"]).to_be_hidden()


WAYS = pytest.mark.parametrize("how", ["signs out", "is refused"])


@WAYS
def test_messages_and_drafts_are_gone(visit: Visit, users: Users, how: str) -> None:
    visitor = opened(visit(), users)
    visitor["#rows .remove"].first.click()
    visitor.sees("Deleted Secret Fern", "#toasts")
    visitor["#find"].fill("secret")
    visitor["#add-name"].fill("Secret draft")
    leaves(visitor, users, how)
    if how == "signs out":
        finds_nothing(visitor)
    welcomes(visitor, users.ben)
    finds_nothing(visitor)


@WAYS
def test_what_was_imported_is_gone(visit: Visit, users: Users, how: str) -> None:
    visitor = opened(visit(), users)
    visitor.choose_file("secret.csv", "id,name\n")
    visitor.sees("secret.csv has no plants", "#import-fault")
    visitor.gives_file("secret.csv", "id,name\n7,Secret Ficus\n8,\n1,Secret\n")
    visitor["#import-start"].click()
    visitor.sees("1 plant imported, 2 lines not imported", "#import-result")
    visitor["#import-done"].click()
    visitor.counts("3 plants")
    leaves(visitor, users, how)
    if how == "signs out":
        finds_nothing(visitor)
    welcomes(visitor, users.ben)
    finds_nothing(visitor)


def test_an_import_that_was_refused_is_not_gone_on_with_by_another(
    visit: Visit, shop: Service, users: Users
) -> None:
    visitor = opened(visit(), users)
    visitor.choose_file("secret.csv", "".join(f"{n},Secret {n}\n" for n in range(10, 60)))
    held = visitor.hold("**/plants")
    visitor["#import-start"].click()
    visitor.until(lambda: held.routes)
    shop.revoke(users.ada)
    held.let_go()
    expect(visitor["#sign-in-reason"]).to_be_visible()
    welcomes(visitor, users.ben)
    visitor.rest()
    finds_nothing(visitor)
    assert len(list_all(shop, users.ben)) == 1


def test_a_delete_that_waits_is_not_of_the_next_user(
    visit: Visit, shop: Service, users: Users
) -> None:
    visitor = visit()
    visitor.page.clock.install()
    opened(visitor, users)
    busy = '{"error": 42901, "message": "too many requests"}'
    asked: list[Route] = []

    def answer(route: Route) -> None:
        asked.append(route)
        if len(asked) > 1:
            route.continue_()
        else:
            route.fulfill(status=429, headers={"Retry-After": "5"}, body=busy)

    visitor.page.route("**/plants/*", answer)
    visitor["#rows .remove"].first.click()
    visitor.until(lambda: asked)
    visitor.rest()
    leaves(visitor, users, "signs out")
    welcomes(visitor, users.ben)
    visitor.page.clock.fast_forward(10_000)
    visitor.rest()
    assert len(asked) == 1
    visitor.counts("1 plant")
    assert len(list_all(shop, users.ben)) == 1


@pytest.mark.parametrize("what", ["add", "delete", "export"])
def test_what_is_answered_too_late_shows_nothing(visit: Visit, users: Users, what: str) -> None:
    visitor = opened(visit(), users)
    downloads: list[str] = []
    visitor.page.on("download", lambda download: downloads.append(download.suggested_filename))
    held = visitor.hold(re.compile("/plants"), answers=True)
    if what == "add":
        visitor.add("Secret Ficus")
    elif what == "delete":
        visitor["#rows .remove"].first.click()
    else:
        visitor["#export-summary"].click()
        visitor["#export-csv"].click()
    visitor.until(lambda: held.routes)
    leaves(visitor, users, "signs out")
    held.let_go()
    visitor.rest()
    finds_nothing(visitor)
    assert downloads == []
    welcomes(visitor, users.ben)
    finds_nothing(visitor)


def test_a_late_refusal_is_not_for_the_next_user(visit: Visit, shop: Service, users: Users) -> None:
    visitor = opened(visit(), users)
    shop.revoke(users.ada)
    held = visitor.hold("**/plants?*", answers=True)
    visitor.comes_back()
    visitor.until(lambda: held.routes)
    leaves(visitor, users, "signs out")
    visitor.give_token(users.ben)
    expect(visitor["#app"]).to_be_visible()
    held.let_go()
    visitor.counts("1 plant")
    visitor.rest()
    expect(visitor["#app"]).to_be_visible()
    assert visitor.stays("sessionStorage['plantstore/token']") == users.ben
