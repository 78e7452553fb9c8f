"""Signing out, or being signed out: the next user finds nothing of the last one, and loses nothing.

Whatever the first user leaves has ``Secret`` in it.
"""

import re

import pytest
from msgspec import Struct
from playwright.sync_api import Route, expect

from tests.service import Service
from tests.web.browser import OpenPage
from tests.web.page_driver import PageDriver, create_plants, list_plants

TYPED = "[...document.querySelectorAll('input')].map((input) => input.value).join()"


class Users(Struct, frozen=True):
    """Two users, each with a token of a store of their own."""

    store: str
    ada: str
    ben: str


@pytest.fixture
def users(service: Service, store: str) -> Users:
    """Ada has two plants, Ben has one with the same id."""
    ada = service.make_token(store, f"ada-of-{store}")
    ben = service.make_token(f"{store}-other", f"ben-of-{store}")
    create_plants(service, ada, {"id": 1, "name": "Secret Fern"}, {"id": 2, "name": "Secret Aloe"})
    create_plants(service, ben, {"id": 1, "name": "Basil"})
    return Users(store, ada, ben)


def opened(driver: PageDriver, users: Users) -> PageDriver:
    driver.sign_in(users.ada)
    driver.assert_count("2 plants")
    return driver


def leave(driver: PageDriver, users: Users, how: str) -> None:
    if how == "signs out":
        driver["#sign-out"].click()
    else:
        driver.service.revoke(users.ada)
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
def test_messages_and_drafts_are_gone(open_page: OpenPage, users: Users, how: str) -> None:
    driver = opened(open_page(), users)
    driver["#rows .remove"].first.click()
    driver.assert_shows("Deleted Secret Fern", "#toasts")
    driver["#find"].fill("secret")
    driver["#add-name"].fill("Secret draft")
    leave(driver, users, how)
    if how == "signs out":
        assert_no_secrets(driver)
    sign_in_next(driver, users.ben)
    assert_no_secrets(driver)


@WAYS
def test_what_was_imported_is_gone(open_page: OpenPage, users: Users, how: str) -> None:
    driver = opened(open_page(), users)
    driver.choose_file("secret.csv", "id,name\n")
    driver.assert_shows("secret.csv contains no plants", "#import-reason")
    driver.set_file("secret.csv", "id,name\n7,Secret Ficus\n8,\n1,Secret\n")
    driver["#import-start"].click()
    driver.assert_shows("1 plant imported, 2 lines not imported", "#import-result")
    driver["#import-done"].click()
    driver.assert_count("3 plants")
    leave(driver, users, how)
    if how == "signs out":
        assert_no_secrets(driver)
    sign_in_next(driver, users.ben)
    assert_no_secrets(driver)


def test_an_import_that_was_refused_is_not_gone_on_with_by_another(
    open_page: OpenPage, service: Service, users: Users
) -> None:
    driver = opened(open_page(), users)
    driver.choose_file("secret.csv", "".join(f"{n},Secret {n}\n" for n in range(10, 60)))
    held = driver.hold("**/plants")
    driver["#import-start"].click()
    driver.wait_until(lambda: held.routes)
    service.revoke(users.ada)
    held.release()
    expect(driver["#sign-in-reason"]).to_be_visible()
    sign_in_next(driver, users.ben)
    driver.settle()
    assert_no_secrets(driver)
    assert len(list_plants(service, users.ben)) == 1


def test_a_delete_that_waits_is_not_of_the_next_user(
    open_page: OpenPage, service: Service, users: Users
) -> None:
    driver = open_page()
    driver.install_clock()
    opened(driver, users)
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
    leave(driver, users, "signs out")
    sign_in_next(driver, users.ben)
    driver.page.clock.fast_forward(10_000)
    driver.settle()
    assert len(asked) == 1
    driver.assert_count("1 plant")
    assert len(list_plants(service, users.ben)) == 1


@pytest.mark.parametrize("what", ["add", "delete", "export"])
def test_what_is_answered_too_late_shows_nothing(
    open_page: OpenPage, users: Users, what: str
) -> None:
    driver = opened(open_page(), users)
    downloads: list[str] = []
    driver.page.on("download", lambda download: downloads.append(download.suggested_filename))
    held = driver.hold(re.compile("/plants"), responses=True)
    if what == "add":
        driver.submit_plant("Secret Ficus")
    elif what == "delete":
        driver["#rows .remove"].first.click()
    else:
        driver["#export-summary"].click()
        driver["#export-csv"].click()
    driver.wait_until(lambda: held.routes)
    leave(driver, users, "signs out")
    held.release()
    driver.settle()
    assert_no_secrets(driver)
    assert downloads == []
    sign_in_next(driver, users.ben)
    assert_no_secrets(driver)


def test_a_late_refusal_is_not_for_the_next_user(
    open_page: OpenPage, service: Service, users: Users
) -> None:
    driver = opened(open_page(), users)
    service.revoke(users.ada)
    held = driver.hold("**/plants?*", responses=True)
    driver.refocus()
    driver.wait_until(lambda: held.routes)
    leave(driver, users, "signs out")
    driver.submit_token(users.ben)
    expect(driver["#app"]).to_be_visible()
    held.release()
    driver.assert_count("1 plant")
    driver.settle()
    expect(driver["#app"]).to_be_visible()
    assert driver.evaluate("sessionStorage['plantstore/token']") == users.ben
