"""The focus is always somewhere: what has it does not vanish, and keys do what they say."""

import pytest
from playwright.sync_api import expect

from tests.web.page_driver import PageDriver


def assert_focus_kept(driver: PageDriver) -> None:
    driver.settle()
    expect(driver["body"]).not_to_be_focused()


@pytest.fixture
def fern(driver: PageDriver) -> PageDriver:
    """A driver at a list of one plant."""
    driver.create_plants({"id": 1, "name": "Fern"})
    driver.sign_in()
    driver.assert_count("1 plant")
    return driver


@pytest.fixture
def empty(driver: PageDriver) -> PageDriver:
    """A driver at an empty list."""
    driver.sign_in()
    expect(driver["#state-empty"]).to_be_visible()
    return driver


def test_trying_again_keeps_it(driver: PageDriver) -> None:
    driver.create_plants({"id": 1, "name": "Fern"})
    driver.open()
    driver.respond("**/plants?*", 500, '{"error": 50001, "message": "the service failed"}')
    driver.sign_in()
    expect(driver["#state-error"]).to_be_visible()
    driver.page.unroute("**/plants?*")
    driver["#retry"].press("Enter")
    driver.assert_count("1 plant")
    assert_focus_kept(driver)


def test_closing_a_message_keeps_it(fern: PageDriver) -> None:
    fern["#grid"].press("Delete")
    fern.assert_shows("Deleted Fern", "#toasts")
    expect(fern["#state-empty"]).to_be_visible()
    fern.page.get_by_role("button", name="Close this message").press("Enter")
    expect(fern["#toasts > *"]).to_have_count(0)
    assert_focus_kept(fern)


def test_an_import_into_an_empty_store_keeps_it(empty: PageDriver) -> None:
    empty["#empty-import"].press("Enter")
    empty.set_file("a.csv", "1,Fern\n")
    empty["#import-start"].press("Enter")
    empty.assert_count("1 plant")
    assert_focus_kept(empty)


def test_the_link_past_the_header_keeps_it(empty: PageDriver) -> None:
    empty["a.skip"].press("Enter")
    assert_focus_kept(empty)
    expect(empty["a.skip"]).not_to_be_focused()


def test_the_menu_is_not_in_its_way(fern: PageDriver) -> None:
    fern["#export-summary"].press("Enter")
    for _ in range(5):
        fern.page.keyboard.press("Tab")
    expect(fern["#labels"]).to_be_focused()
    fern.page.keyboard.press("Tab")
    expect(fern["#find"]).to_be_focused()
    expect(fern["#export-csv"]).to_be_hidden()


def test_slash_finds_but_not_with_another_key(fern: PageDriver) -> None:
    fern["#grid"].press("Control+/")
    expect(fern["#grid"]).to_be_focused()
    fern["#grid"].press("/")
    expect(fern["#find"]).to_be_focused()
    expect(fern["#find"]).to_have_value("")


def test_a_narrower_window_keeps_what_is_typed(fern: PageDriver) -> None:
    fern["#add-name"].fill("Half typed")
    fern.page.set_viewport_size({"width": 390, "height": 800})
    fern.settle()
    expect(fern["#add-form"]).to_be_visible()
    expect(fern["#add-name"]).to_be_focused()
    expect(fern["#add-name"]).to_have_value("Half typed")
