"""Undo reverts one action at a time: by its message, by Ctrl+Z, or from the history."""

import pytest
from playwright.sync_api import expect

from tests.features.page.page_driver import PageDriver

PLANT_COUNT = 120


@pytest.fixture
def list_page(driver: PageDriver) -> PageDriver:
    """The list of all plants, for the signed-in owner."""
    driver.create_many(
        {"id": n, "name": f"Fern {n}", "tag": "bed 1"} for n in range(1, PLANT_COUNT + 1)
    )
    driver.sign_in().assert_count(f"{PLANT_COUNT} plants")
    return driver


def test_each_undo_reverts_only_the_latest_action(list_page: PageDriver) -> None:
    for row, name in ((0, "Right"), (1, "Wrong")):
        list_page[f"#rows .row >> nth={row} >> .name"].dblclick()
        list_page.type(f"{name}\n")
        list_page.assert_shows(f"Changed {name}", "#message")
    list_page.undo()
    list_page.assert_stored(2, "Fern 2", "bed 1")
    list_page.assert_stored(1, "Right", "bed 1")
    list_page["#grid"].press("ControlOrMeta+z")
    list_page.assert_stored(1, "Fern 1", "bed 1")


def test_undo_reverts_the_latest_action_even_while_it_is_in_flight(list_page: PageDriver) -> None:
    list_page["#grid"].press("F2")
    list_page.type("Right\n")
    list_page.assert_shows("Changed Right", "#message")
    held = list_page.hold("**/changes")
    for key in ("ArrowDown", "Delete", "ControlOrMeta+z"):
        list_page["#grid"].press(key)
    list_page.wait_until(lambda: held.routes)
    held.release()
    list_page.assert_shows("Restored Fern 2", "#message")
    list_page.assert_stored(1, "Right", "bed 1")
    list_page.assert_stored(2, "Fern 2", "bed 1")


def test_one_request_deletes_many_plants_and_ctrl_z_restores_them(list_page: PageDriver) -> None:
    posts = list_page.record_requests("POST")
    list_page["#grid"].press("ControlOrMeta+a")
    list_page["#delete-selected"].click()
    list_page.assert_shows(f"Delete {PLANT_COUNT} plants?", "#ask")
    list_page["#ask"].get_by_role("button", name="Delete").click()
    list_page.assert_shows(f"Deleted {PLANT_COUNT} plants", "#message")
    assert len(posts) == 1
    list_page["#plants-title"].focus()
    list_page.page.keyboard.press("ControlOrMeta+z")
    list_page.assert_count(f"{PLANT_COUNT} plants")
    assert len(list_page.list_plants()) == PLANT_COUNT


def test_a_bulk_delete_is_one_history_entry_that_restores_all_plants(list_page: PageDriver) -> None:
    list_page["#grid"].press("ControlOrMeta+a")
    list_page["#delete-selected"].click()
    list_page["#ask"].get_by_role("button", name="Delete").click()
    list_page.assert_shows(f"Deleted {PLANT_COUNT} plants", "#message")
    list_page.page.reload()  # the tab forgets its undo steps
    expect(list_page["#state-empty"]).to_be_visible()
    list_page.open_menu("#history-open")
    entry = list_page["#history-events li >> nth=0"]
    expect(entry).to_contain_text(f"deleted {PLANT_COUNT} plants")
    entry.get_by_role("button", name="Restore").click()
    list_page["#ask"].get_by_role("button", name="Restore").click()
    list_page.assert_count(f"{PLANT_COUNT} plants")


def test_remove_tag_asks_for_confirmation_and_can_be_undone(list_page: PageDriver) -> None:
    posts = list_page.record_requests("POST")
    list_page["#grid"].press("ControlOrMeta+a")
    list_page["#retag-open"].click()
    expect(list_page["#retag-set"]).to_be_disabled()
    list_page.page.keyboard.press("Enter")
    list_page["#tag-remove"].click()
    list_page["#ask"].get_by_role("button", name="Remove tag").click()
    list_page.assert_shows("Removed the tag", "#message")
    assert not any("tag" in plant for plant in list_page.list_plants())
    assert len(posts) == 1
    list_page.undo()
    list_page.assert_shows(f"Restored {PLANT_COUNT} plants", "#message")
    assert {plant["tag"] for plant in list_page.list_plants()} == {"bed 1"}


def test_messages_do_not_change_the_height_of_the_list(list_page: PageDriver) -> None:
    height = list_page.evaluate("document.getElementById('grid').clientHeight")
    for _ in range(5):
        list_page["#grid"].press("Delete")
        list_page.assert_shows("Deleted Fern", "#message")
        list_page.undo()
        list_page.assert_shows("Restored Fern", "#message")
    assert list_page.evaluate("document.getElementById('grid').clientHeight") == height
    expect(list_page["#message"]).to_have_count(1)
