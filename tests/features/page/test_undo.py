"""Undo reverts one action at a time: by its message, by Ctrl+Z, or from the history."""

import pytest
from playwright.sync_api import expect

from tests.features.page.page_driver import PageDriver

PLANT_COUNT = 120


@pytest.fixture
def filled(driver: PageDriver) -> PageDriver:
    """The list of all plants, for the signed-in owner."""
    driver.create_many(
        {"id": n, "name": f"Fern {n}", "tag": "bed 1"} for n in range(1, PLANT_COUNT + 1)
    )
    driver.sign_in().assert_count(f"{PLANT_COUNT} plants")
    return driver


def test_each_undo_reverts_only_the_latest_action(filled: PageDriver) -> None:
    for row, name in ((0, "Right"), (1, "Wrong")):
        filled[f"#rows .row >> nth={row} >> .name"].dblclick()
        filled.type(f"{name}\n")
        filled.assert_shows(f"Changed {name}", "#message")
    filled.undo()
    filled.assert_stored(2, "Fern 2", "bed 1")
    filled.assert_stored(1, "Right", "bed 1")
    filled["#grid"].press("ControlOrMeta+z")
    filled.assert_stored(1, "Fern 1", "bed 1")


def test_undo_reverts_the_latest_action_even_while_it_is_in_flight(filled: PageDriver) -> None:
    filled["#grid"].press("F2")
    filled.type("Right\n")
    filled.assert_shows("Changed Right", "#message")
    held = filled.hold("**/changes")
    for key in ("ArrowDown", "Delete", "ControlOrMeta+z"):
        filled["#grid"].press(key)
    filled.wait_until(lambda: held.routes)
    held.release()
    filled.assert_shows("Restored Fern 2", "#message")
    filled.assert_stored(1, "Right", "bed 1")
    filled.assert_stored(2, "Fern 2", "bed 1")


def test_one_request_deletes_many_plants_and_ctrl_z_restores_them(filled: PageDriver) -> None:
    posts = filled.record_requests("POST")
    filled["#grid"].press("ControlOrMeta+a")
    filled["#delete-selected"].click()
    filled.assert_shows(f"Delete {PLANT_COUNT} plants?", "#ask")
    filled["#ask"].get_by_role("button", name="Delete").click()
    filled.assert_shows(f"Deleted {PLANT_COUNT} plants", "#message")
    assert len(posts) == 1
    filled["#plants-title"].focus()
    filled.page.keyboard.press("ControlOrMeta+z")
    filled.assert_count(f"{PLANT_COUNT} plants")
    assert len(filled.list_plants()) == PLANT_COUNT


def test_a_bulk_delete_is_one_history_entry_that_restores_all_plants(filled: PageDriver) -> None:
    filled["#grid"].press("ControlOrMeta+a")
    filled["#delete-selected"].click()
    filled["#ask"].get_by_role("button", name="Delete").click()
    filled.assert_shows(f"Deleted {PLANT_COUNT} plants", "#message")
    filled.page.reload()  # the tab forgets its undo steps
    expect(filled["#state-empty"]).to_be_visible()
    filled.open_menu("#history-open")
    entry = filled["#history-events li >> nth=0"]
    expect(entry).to_contain_text(f"deleted {PLANT_COUNT} plants")
    entry.get_by_role("button", name="Restore").click()
    filled["#ask"].get_by_role("button", name="Restore").click()
    filled.assert_count(f"{PLANT_COUNT} plants")


def test_remove_tag_asks_for_confirmation_and_can_be_undone(filled: PageDriver) -> None:
    posts = filled.record_requests("POST")
    filled["#grid"].press("ControlOrMeta+a")
    filled["#retag-open"].click()
    expect(filled["#retag-set"]).to_be_disabled()
    filled.page.keyboard.press("Enter")
    filled["#tag-remove"].click()
    filled["#ask"].get_by_role("button", name="Remove tag").click()
    filled.assert_shows("Removed the tag", "#message")
    assert not any("tag" in plant for plant in filled.list_plants())
    assert len(posts) == 1
    filled.undo()
    filled.assert_shows(f"Restored {PLANT_COUNT} plants", "#message")
    assert {plant["tag"] for plant in filled.list_plants()} == {"bed 1"}


def test_messages_do_not_change_the_height_of_the_list(filled: PageDriver) -> None:
    height = filled.evaluate("document.getElementById('grid').clientHeight")
    for _ in range(5):
        filled["#grid"].press("Delete")
        filled.assert_shows("Deleted Fern", "#message")
        filled.undo()
        filled.assert_shows("Restored Fern", "#message")
    assert filled.evaluate("document.getElementById('grid').clientHeight") == height
    expect(filled["#message"]).to_have_count(1)
