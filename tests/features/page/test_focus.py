"""The focus is always somewhere: what has it does not vanish, and keys do what they say."""

import pytest
from playwright.sync_api import expect

from tests.features.page.page_driver import PageDriver


def assert_focus_kept(driver: PageDriver) -> None:
    driver.settle()
    expect(driver["body"]).not_to_be_focused()


@pytest.fixture
def fern(driver: PageDriver) -> PageDriver:
    """A driver at a list of one plant."""
    driver.create_plants({"id": 1, "name": "Fern"})
    return driver.sign_in()


def test_trying_again_and_closing_a_message_keep_it(driver: PageDriver) -> None:
    driver.create_plants({"id": 1, "name": "Fern"})
    driver.respond("**/plants?*", 500, '{"error": 50001, "message": "the service failed"}')
    driver.sign_in()
    expect(driver["#state-error"]).to_be_visible()
    driver.page.unroute("**/plants?*")
    driver["#retry"].press("Enter")
    driver.assert_count("1 plant")
    assert_focus_kept(driver)
    driver["#grid"].press("Delete")
    driver.assert_shows("Deleted Fern", "#toasts")
    expect(driver["#state-empty"]).to_be_visible()
    driver.page.get_by_role("button", name="Close this message").press("Enter")
    expect(driver["#toasts > *"]).to_have_count(0)
    assert_focus_kept(driver)


def test_the_link_past_the_header_and_an_import_keep_it(driver: PageDriver) -> None:
    driver.sign_in()
    driver["a.skip"].press("Enter")
    assert_focus_kept(driver)
    expect(driver["a.skip"]).not_to_be_focused()
    driver["#empty-import"].press("Enter")
    driver.set_file("a.csv", "1,Fern\n")
    driver["#import-start"].press("Enter")
    driver.assert_count("1 plant")
    assert_focus_kept(driver)


def test_the_menu_is_not_in_its_way(fern: PageDriver) -> None:
    fern["#export-summary"].press("Enter")
    for _ in range(5):
        fern.page.keyboard.press("Tab")
    expect(fern["#labels"]).to_be_focused()
    fern.page.keyboard.press("Tab")
    expect(fern["#find"]).to_be_focused()
    expect(fern["#export-csv"]).to_be_hidden()


def test_slash_finds_but_not_with_another_key_or_in_a_field(fern: PageDriver) -> None:
    fern["#grid"].press("Control+/")
    expect(fern["#grid"]).to_be_focused()
    fern["#grid"].press("/")
    expect(fern["#find"]).to_be_focused()
    expect(fern["#find"]).to_have_value("")
    fern["#add-name"].press("/")
    expect(fern["#add-name"]).to_have_value("/")
    fern.page.set_viewport_size({"width": 390, "height": 800})  # which keeps what is typed in sight
    fern.settle()
    expect(fern["#add-form"]).to_be_visible()
    expect(fern["#add-name"]).to_be_focused()
    expect(fern["#add-name"]).to_have_value("/")
