"""Signing out, or being signed out: the next user finds nothing of the last one, and loses nothing.

Whatever the first user leaves has ``Secret`` in it.
"""

import re

import pytest
from msgspec import Struct
from playwright.sync_api import Route, expect

from tests.service import Service
from tests.web.page_driver import PageDriver

TYPED = "[...document.querySelectorAll('input')].map((input) => input.value).join()"


class Users(Struct, frozen=True):
    """Two users, each with a token of a store of their own."""

    ada: str
    ben: str


@pytest.fixture
def users(service: Service, store: str) -> Users:
    """Ada and Ben."""
    ada = service.make_token(store, f"ada-of-{store}")
    ben = service.make_token(f"{store}-other", f"ben-of-{store}")
    return Users(ada, ben)


@pytest.fixture
def driver(driver: PageDriver, users: Users) -> PageDriver:
    """Ada's page: she has two plants, and Ben has one with the same id."""
    driver.owner = users.ada
    driver.create_plants({"id": 1, "name": "Secret Fern"}, {"id": 2, "name": "Secret Aloe"})
    driver.create_plants({"id": 1, "name": "Basil"}, token=users.ben)
    return driver


@pytest.fixture
def opened(driver: PageDriver) -> PageDriver:
    """That page, where she is signed in."""
    driver.sign_in()
    driver.assert_count("2 plants")
    return driver


def leave(driver: PageDriver, how: str) -> None:
    if how == "signs out":
        driver["#sign-out"].click()
    else:
        driver.service.revoke(driver.owner)
        driver.refocus()
        expect(driver["#sign-in-reason"]).to_be_visible()
    expect(driver["#sign-in"]).to_be_visible()


def sign_in_next(driver: PageDriver, token: str) -> None:
    driver.submit_token(token)
    driver.assert_count("1 plant")


def assert_no_secrets(driver: PageDriver) -> None:
    assert "secret" not in driver.page.content().lower()
    assert "secret" not in driver.evaluate(TYPED).lower()
    assert driver["#toasts"].text_content() == ""
    expect(driver["#import"]).to_be_hidden()


WAYS = pytest.mark.parametrize("how", ["signs out", "is refused"])


@WAYS
def test_messages_and_drafts_are_gone(opened: PageDriver, users: Users, how: str) -> None:
    opened["#rows .remove"].first.click()
    opened.assert_shows("Deleted Secret Fern", "#toasts")
    opened["#find"].fill("secret")
    opened["#add-name"].fill("Secret draft")
    leave(opened, how)
    if how == "signs out":
        assert_no_secrets(opened)
    sign_in_next(opened, users.ben)
    assert_no_secrets(opened)


@WAYS
def test_what_was_imported_is_gone(opened: PageDriver, users: Users, how: str) -> None:
    opened.choose_file("secret.csv", "id,name\n")
    opened.assert_shows("secret.csv contains no plants", "#import-reason")
    opened.set_file("secret.csv", "id,name\n7,Secret Ficus\n8,\n1,Secret\n")
    opened["#import-start"].click()
    opened.assert_shows("Imported Secret Ficus", "#toasts")
    opened.assert_count("3 plants")
    leave(opened, how)
    if how == "signs out":
        assert_no_secrets(opened)
    sign_in_next(opened, users.ben)
    assert_no_secrets(opened)


def test_an_import_that_was_refused_is_not_gone_on_with_by_another(
    opened: PageDriver, users: Users
) -> None:
    opened.choose_file("secret.csv", "".join(f"{n},Secret {n}\n" for n in range(10, 60)))
    held = opened.hold("**/plants")
    opened["#import-start"].click()
    opened.wait_until(lambda: held.routes)
    opened.service.revoke(users.ada)
    held.release()
    expect(opened["#sign-in-reason"]).to_be_visible()
    sign_in_next(opened, users.ben)
    opened.settle()
    assert_no_secrets(opened)
    assert len(opened.list_plants(users.ben)) == 1


def test_a_delete_that_waits_is_not_of_the_next_user(driver: PageDriver, users: Users) -> None:
    driver.install_clock()
    driver.sign_in()
    driver.assert_count("2 plants")
    busy = '{"error": 42901, "message": "too many requests"}'
    asked: list[Route] = []

    def response(route: Route) -> None:
        asked.append(route)
        if len(asked) > 1:
            route.continue_()
        else:
            route.fulfill(status=429, headers={"Retry-After": "5"}, body=busy)

    driver.page.route("**/plants/*", response)
    driver["#rows .remove"].first.click()
    driver.wait_until(lambda: asked)
    driver.settle()
    leave(driver, "signs out")
    sign_in_next(driver, users.ben)
    driver.page.clock.fast_forward(10_000)
    driver.settle()
    assert len(asked) == 1
    driver.assert_count("1 plant")
    assert len(driver.list_plants(users.ben)) == 1


@pytest.mark.parametrize("what", ["add", "delete"])
def test_what_is_answered_too_late_shows_nothing(
    opened: PageDriver, users: Users, what: str
) -> None:
    held = opened.hold(re.compile("/plants"), responses=True)
    if what == "add":
        opened.submit_plant("Secret Ficus")
    else:
        opened["#rows .remove"].first.click()
    opened.wait_until(lambda: held.routes)
    leave(opened, "signs out")
    held.release()
    opened.settle()
    assert_no_secrets(opened)
    sign_in_next(opened, users.ben)
    assert_no_secrets(opened)


def test_a_late_refusal_is_not_for_the_next_user(opened: PageDriver, users: Users) -> None:
    opened.open_without_stream()
    opened.service.revoke(users.ada)
    held = opened.hold("**/plants?*", responses=True)
    opened.refocus()
    opened.wait_until(lambda: held.routes)
    leave(opened, "signs out")
    opened.submit_token(users.ben)
    expect(opened["#app"]).to_be_visible()
    held.release()
    opened.assert_count("1 plant")
    opened.settle()
    expect(opened["#app"]).to_be_visible()
    assert opened.evaluate("sessionStorage['plantstore/token']") == users.ben
