"""Owners manage the members and tokens of their store on the page."""

import re

import pytest
from playwright.sync_api import expect

from plantstore.core.model import Scope
from tests.features.access.http.access_calls import members_of, tokens_of
from tests.features.page.page_driver import PageDriver
from tests.features.page.people import create, open_people, set_member


@pytest.fixture
def manager(driver: PageDriver) -> PageDriver:
    """The page of an owner who may manage the store, where its members and tokens are shown."""
    user = f"owner-of-{driver.store}"
    driver.owner = driver.service.make_token(driver.store, user, scopes=frozenset(Scope))
    driver.sign_in()
    open_people(driver)
    return driver


def test_members_are_added_changed_and_removed_by_keyboard(manager: PageDriver) -> None:
    press = manager.page.keyboard.press
    manager["#member-name"].focus()
    manager.page.keyboard.type("grace/é")
    press("Enter")
    expect(manager["#members li"]).to_have_count(2)
    expect(manager["#members"]).to_contain_text("grace/é editor")
    manager.page.get_by_role("button", name="Change role of grace/é").press("Enter")
    press("ArrowUp")
    press("Tab")
    press("Enter")
    expect(manager["#members"]).to_contain_text("grace/é reader")
    manager.page.get_by_role("button", name="Remove grace/é").press("Enter")
    expect(manager["#sure"]).to_contain_text("Remove grace/é?")
    press("Shift+Tab")
    press("Enter")
    expect(manager["#members li"]).to_have_count(1)
    expect(manager["body"]).not_to_be_focused()
    with manager.service.client(manager.owner) as client:
        assert members_of(client) == {f"owner-of-{manager.store}": "owner"}


def test_a_link_has_what_the_colleagues_role_allows(manager: PageDriver) -> None:
    manager.page.get_by_role("button", name=re.compile("^Remove owner")).click()
    manager["#sure-yes"].click()
    manager.assert_shows("make another member an owner first", "#people-reason")
    set_member(manager, "grace", "reader")
    expect(manager["#people-reason"]).to_be_hidden()
    manager["#access-user"].select_option("grace")
    manager["#access-scopes"].select_option("create")
    create(manager, "link")
    manager.assert_shows("the role reader does not allow: create", "#people-reason")
    manager["#access-scopes"].select_option("list")
    create(manager, "link")
    manager.assert_shows("within 10 minutes", "#credential-text")
    manager["#credential-copy"].click()
    expect(manager["#credential-copy"]).to_have_text("Copied")


def test_a_token_is_shown_once_and_revoked(manager: PageDriver) -> None:
    manager["#access-scopes"].select_option("list")
    manager["#access-days"].select_option("1")
    manager["#access-label"].fill("wall display")
    create(manager, "token")
    manager.assert_shows("pst_", "#credential")
    token = manager["#credential"].inner_text()
    assert len(manager.list_plants(token)) == 0
    of_display = manager["#tokens li"].filter(has_text="wall display")
    expect(manager["#tokens li"].filter(has_text="(this one)")).to_have_count(1)
    expect(of_display).not_to_contain_text("this one")
    expect(of_display).to_contain_text(re.compile("list · never used · expires soon, on .*20"))
    manager.page.get_by_role("button", name="Close").click()
    open_people(manager)
    assert token not in manager.page.content()
    of_display.get_by_role("button").click()
    manager["#sure-yes"].click()
    expect(of_display).to_have_count(0)
    with manager.service.client(manager.owner) as client:
        assert [one["label"] for one in tokens_of(client)].count("wall display") == 0


def test_others_are_told_how_to_get_there(driver: PageDriver) -> None:
    driver.sign_in()["#export-summary"].click()
    driver["#people-open"].click()
    names = f"--store {driver.store} --user owner-of-{driver.store}"
    driver.assert_shows(f"plantstore link create {names} --manage", "#people-command")
    driver.settle()
    for part in ("#people-all", "#people-reason"):
        expect(driver[part]).to_be_hidden()
