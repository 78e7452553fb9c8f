"""Undo: one action at a time, by the message and by Ctrl+Z, and from the history."""

import pytest
from playwright.sync_api import expect

from tests.features.page.page_driver import PageDriver

MANY = 120


@pytest.fixture
def filled(driver: PageDriver) -> PageDriver:
    driver.create_many({"id": n, "name": f"Fern {n}", "tag": "bed 1"} for n in range(1, MANY + 1))
    driver.sign_in().assert_count(f"{MANY} plants")
    return driver


def test_undo_is_of_the_last_action_alone(filled: PageDriver) -> None:
    for row, name in ((0, "Right"), (1, "Wrong")):
        filled[f"#rows .row >> nth={row} >> .name"].dblclick()
        filled.type(f"{name}\n")
        filled.assert_shows(f"Changed {name}", "#message")
    filled.undo()
    filled.assert_stored(2, "Fern 2", "bed 1")
    filled.assert_stored(1, "Right", "bed 1")
    filled["#grid"].press("ControlOrMeta+z")
    filled.assert_stored(1, "Fern 1", "bed 1")


def test_undo_is_of_the_last_action_though_it_is_not_done_yet(filled: PageDriver) -> None:
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


def test_many_are_deleted_in_one_request_and_restored_by_one_key(filled: PageDriver) -> None:
    posts = filled.record_requests("POST")
    filled["#grid"].press("ControlOrMeta+a")
    filled["#delete-selected"].click()
    filled.assert_shows(f"Delete {MANY} plants?", "#ask")
    filled["#ask"].get_by_role("button", name="Delete").click()
    filled.assert_shows(f"Deleted {MANY} plants", "#message")
    assert len(posts) == 1
    filled["#plants-title"].focus()
    filled.page.keyboard.press("ControlOrMeta+z")
    filled.assert_count(f"{MANY} plants")
    assert len(filled.list_plants()) == MANY


def test_what_was_done_at_once_is_one_entry_of_the_history(filled: PageDriver) -> None:
    filled["#grid"].press("ControlOrMeta+a")
    filled["#delete-selected"].click()
    filled["#ask"].get_by_role("button", name="Delete").click()
    filled.assert_shows(f"Deleted {MANY} plants", "#message")
    filled.page.reload()  # which ends what this tab could undo
    expect(filled["#state-empty"]).to_be_visible()
    filled.open_menu("#history-open")
    entry = filled["#history-events li >> nth=0"]
    expect(entry).to_contain_text(f"deleted {MANY} plants")
    entry.get_by_role("button", name="Restore").click()
    filled["#ask"].get_by_role("button", name="Restore").click()
    filled.assert_count(f"{MANY} plants")


def test_removing_tags_has_a_word_of_its_own_and_asks(filled: PageDriver) -> None:
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
    filled.assert_shows(f"Restored {MANY} plants", "#message")
    assert {plant["tag"] for plant in filled.list_plants()} == {"bed 1"}


def test_messages_take_no_row(filled: PageDriver) -> None:
    height = filled.evaluate("document.getElementById('grid').clientHeight")
    for _ in range(5):
        filled["#grid"].press("Delete")
        filled.assert_shows("Deleted Fern", "#message")
        filled.undo()
        filled.assert_shows("Restored Fern", "#message")
    assert filled.evaluate("document.getElementById('grid').clientHeight") == height
    expect(filled["#message"]).to_have_count(1)
