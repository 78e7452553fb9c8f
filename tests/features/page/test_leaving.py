"""After a sign-out, or a revoked token, the next user of the tab sees nothing of the first user.

All texts of the first user contain ``Secret``.
"""

import pytest
from playwright.sync_api import expect

from tests.features.page.page_driver import PageDriver

INPUT_VALUES = "[...document.querySelectorAll('input')].map((input) => input.value).join()"


@pytest.fixture
def bens_token(driver: PageDriver) -> str:
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
def list_page(driver: PageDriver) -> PageDriver:
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
    list_page: PageDriver, bens_token: str, how: str
) -> None:
    list_page.choose_file("secret.csv", "id,name\n")
    list_page.assert_shows("secret.csv: This file has no plants", "#import-reason")
    list_page.set_file("secret.csv", "id,name\n7,Secret Ficus\n8,\n1,Secret Fern changed\n")
    list_page["#import-start"].click()
    list_page.assert_shows(
        "Imported 2 plants. 1 line was not imported: Name is missing", "#message"
    )
    list_page["#rows .remove"].first.click()
    list_page.assert_shows("Deleted Secret Fern changed", "#message")
    list_page["#find"].fill("secret")
    list_page["#grid"].press("Control+i")
    expect(list_page["#panel-title"]).to_contain_text("Secret")
    list_page["#add-name"].fill("Secret draft")
    leave(list_page, how)
    if how == "signs out":
        assert "secret" not in list_page.address()
        assert_no_secrets(list_page)
    sign_in_next_user(list_page, bens_token)
    assert_no_secrets(list_page)


def test_the_next_user_does_not_continue_an_interrupted_import(
    list_page: PageDriver, bens_token: str
) -> None:
    list_page.choose_file("secret.csv", "".join(f"{n},Secret {n}\n" for n in range(10, 60)))
    held = list_page.hold("**/changes")
    list_page["#import-start"].click()
    list_page.wait_until(lambda: held.routes)
    list_page.service.revoke(list_page.owner)
    held.release()
    expect(list_page["#sign-in-reason"]).to_be_visible()
    sign_in_next_user(list_page, bens_token)
    list_page.settle()
    assert_no_secrets(list_page)
    assert len(list_page.list_plants(bens_token)) == 1


def test_responses_that_arrive_after_sign_out_show_nothing(
    list_page: PageDriver, bens_token: str
) -> None:
    held = list_page.hold("**/changes", responses=True)
    list_page.submit_plant("Secret Ficus")
    list_page["#rows .remove"].first.click()
    list_page.wait_until(lambda: held.routes)
    for button in ("#person-open", "#sign-out"):
        list_page[button].click()
    list_page.assert_shows("2 changes are not saved yet. Sign out and lose them?", "#ask")
    list_page["#ask-yes"].click()
    expect(list_page["#sign-in"]).to_be_visible()
    held.release()
    list_page.settle()
    assert_no_secrets(list_page)
    sign_in_next_user(list_page, bens_token)
    assert_no_secrets(list_page)


def test_a_late_401_does_not_sign_out_the_next_user(driver: PageDriver, bens_token: str) -> None:
    driver.block_streams().sign_in().assert_count("2 plants")
    driver.service.revoke(driver.owner)
    held = driver.hold("**/plants?*", responses=True)
    driver.refocus()
    driver.wait_until(lambda: held.routes)
    leave(driver)
    driver.submit_token(bens_token)
    expect(driver["#app"]).to_be_visible()
    held.release()
    driver.assert_count("1 plant")
    driver.settle()
    expect(driver["#app"]).to_be_visible()
    assert driver.evaluate("sessionStorage['plantstore/token']") == bens_token
