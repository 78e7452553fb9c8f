"""After a sign-out, or a revoked token, the next user of the tab sees nothing of the first user.

All texts of the first user contain ``Secret``.
"""

import pytest
from playwright.sync_api import expect

from tests.features.page.page_driver import PageDriver

INPUT_VALUES = "[...document.querySelectorAll('input')].map((input) => input.value).join()"


@pytest.fixture
def ben(driver: PageDriver) -> str:
    """The token of the next user, whose store has one plant; its id is in the first store, too."""
    token = driver.service.make_token(f"{driver.store}-other", f"ben-of-{driver.store}")
    driver.create_plants({"id": 1, "name": "Basil"}, token=token)
    return token


@pytest.fixture
def driver(driver: PageDriver) -> PageDriver:
    """A tab, not yet open, for the first user, whose store has two plants."""
    driver.create_plants({"id": 1, "name": "Secret Fern"}, {"id": 2, "name": "Secret Aloe"})
    return driver


@pytest.fixture
def opened(driver: PageDriver) -> PageDriver:
    """The list of the signed-in first user."""
    driver.sign_in().assert_count("2 plants")
    return driver


def leave(driver: PageDriver, how: str = "signs out") -> None:
    if how == "signs out":
        driver.sign_out()
    else:
        driver.service.revoke(driver.owner)
        driver.refocus()
        expect(driver["#sign-in-reason"]).to_be_visible()
    expect(driver["#sign-in"]).to_be_visible()


def sign_in_next_user(driver: PageDriver, token: str) -> None:
    driver.submit_token(token)
    driver.assert_count("1 plant")


def assert_no_secrets(driver: PageDriver) -> None:
    assert "secret" not in driver.page.content().lower()
    assert "secret" not in driver.evaluate(INPUT_VALUES).lower()
    assert driver["#message"].text_content() == ""
    expect(driver["#import"]).to_be_hidden()


@pytest.mark.parametrize("how", ["signs out", "token is revoked"])
def test_the_next_user_sees_no_messages_drafts_or_imports(
    opened: PageDriver, ben: str, how: str
) -> None:
    opened.choose_file("secret.csv", "id,name\n")
    opened.assert_shows("secret.csv: This file has no plants", "#import-reason")
    opened.set_file("secret.csv", "id,name\n7,Secret Ficus\n8,\n1,Secret Fern changed\n")
    opened["#import-start"].click()
    opened.assert_shows("Imported 2 plants. 1 line was not imported: Name is missing", "#message")
    opened["#rows .remove"].first.click()
    opened.assert_shows("Deleted Secret Fern changed", "#message")
    opened["#find"].fill("secret")
    opened["#grid"].press("i")
    expect(opened["#panel-title"]).to_contain_text("Secret")
    opened["#add-name"].fill("Secret draft")
    leave(opened, how)
    if how == "signs out":
        assert "secret" not in opened.page.url
        assert_no_secrets(opened)
    sign_in_next_user(opened, ben)
    assert_no_secrets(opened)


def test_the_next_user_does_not_continue_an_interrupted_import(
    opened: PageDriver, ben: str
) -> None:
    opened.choose_file("secret.csv", "".join(f"{n},Secret {n}\n" for n in range(10, 60)))
    held = opened.hold("**/changes")
    opened["#import-start"].click()
    opened.wait_until(lambda: held.routes)
    opened.service.revoke(opened.owner)
    held.release()
    expect(opened["#sign-in-reason"]).to_be_visible()
    sign_in_next_user(opened, ben)
    opened.settle()
    assert_no_secrets(opened)
    assert len(opened.list_plants(ben)) == 1


def test_responses_that_arrive_after_sign_out_show_nothing(opened: PageDriver, ben: str) -> None:
    held = opened.hold("**/changes", responses=True)
    opened.submit_plant("Secret Ficus")
    opened["#rows .remove"].first.click()
    opened.wait_until(lambda: held.routes)
    for button in ("#person-open", "#sign-out"):
        opened[button].click()
    opened.assert_shows("2 changes are not saved yet. Sign out and lose them?", "#ask")
    opened["#ask-yes"].click()
    expect(opened["#sign-in"]).to_be_visible()
    held.release()
    opened.settle()
    assert_no_secrets(opened)
    sign_in_next_user(opened, ben)
    assert_no_secrets(opened)


def test_a_late_401_does_not_sign_out_the_next_user(driver: PageDriver, ben: str) -> None:
    driver.block_streams().sign_in().assert_count("2 plants")
    driver.service.revoke(driver.owner)
    held = driver.hold("**/plants?*", responses=True)
    driver.refocus()
    driver.wait_until(lambda: held.routes)
    leave(driver)
    driver.submit_token(ben)
    expect(driver["#app"]).to_be_visible()
    held.release()
    driver.assert_count("1 plant")
    driver.settle()
    expect(driver["#app"]).to_be_visible()
    assert driver.evaluate("sessionStorage['plantstore/token']") == ben
