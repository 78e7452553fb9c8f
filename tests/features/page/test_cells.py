"""Editing cells: which keys and clicks open, save and cancel, and that the right plant changes."""

import pytest
from playwright.sync_api import expect

from tests.features.page.page_driver import PageDriver

NAMES = ("Aloe vera", "Basil", "Clematis montana", "Ficus lyrata", "Hedera helix")


@pytest.fixture
def filled(driver: PageDriver) -> PageDriver:
    """The list of 100 plants, every second with a tag, for the signed-in owner."""
    names = [NAMES[n] if n < len(NAMES) else f"Fern {n}" for n in range(100)]
    driver.create_many(
        {"id": n, "name": name, **({} if n % 2 else {"tag": "bed 3"})}
        for n, name in enumerate(names, start=1)
    )
    driver.sign_in().assert_count("100 plants")
    return driver


@pytest.mark.parametrize("key", ["Enter", "F2"])
def test_a_key_opens_the_name_cell_and_enter_saves_it(filled: PageDriver, key: str) -> None:
    filled["#grid"].focus()
    filled.page.keyboard.press("ArrowDown")
    filled.page.keyboard.press(key)
    filled.type("Ocimum basilicum\n")  # replaces the old name, which is selected
    filled.assert_stored(2, "Ocimum basilicum", "bed 3")
    filled.assert_shows("Changed", "#message")
    expect(filled["#grid"]).to_be_focused()


@pytest.mark.parametrize("row", [0, 3])
def test_a_double_click_on_a_tag_edits_only_that_plant(filled: PageDriver, row: int) -> None:
    filled[f"#rows .row >> nth={row} >> .tag"].dblclick()
    filled.type("quarantine\n")
    filled.assert_stored(row + 1, NAMES[row], "quarantine")
    filled.settle()
    changed = [plant for plant in filled.list_plants() if plant.get("tag") == "quarantine"]
    assert [plant["id"] for plant in changed] == [row + 1]
    filled.assert_count("100 plants")  # the click did not filter the list


def test_an_open_editor_scrolls_with_its_row_and_still_saves(filled: PageDriver) -> None:
    filled["#rows .row >> nth=2 >> .name"].dblclick()
    filled.type("Clematis alpina")
    filled.page.mouse.wheel(0, 1500)
    filled.page.wait_for_timeout(200)
    expect(filled[".row:has(.cell-input)"]).not_to_be_in_viewport()
    filled.page.keyboard.press("Enter")
    filled.assert_stored(3, "Clematis alpina", None)


def test_a_click_outside_the_cell_saves_the_edit(filled: PageDriver) -> None:
    filled["#rows .row >> nth=0 >> .name"].dblclick()
    filled.type("Aloe ferox")
    filled["#count"].click()
    expect(filled[".cell-input"]).to_have_count(0)
    filled.assert_stored(1, "Aloe ferox", None)


def test_escape_cancels_an_edit_and_tab_moves_to_the_next_cell(filled: PageDriver) -> None:
    posts = filled.record_requests("POST")
    filled["#rows .row >> nth=0 >> .name"].dblclick()
    filled.type("nothing")
    filled.page.keyboard.press("Escape")
    expect(filled["#rows .row >> nth=0 >> .name"]).to_have_text("Aloe vera")
    assert posts == []
    filled.page.keyboard.press("Enter")
    filled.type("Aloe ferox\tbed 1\t")
    filled.assert_stored(1, "Aloe ferox", "bed 1")
    expect(filled[".row:has(.cell-input) .id"]).to_have_text("2")


def test_the_editor_stays_when_its_plant_no_longer_matches_the_search(filled: PageDriver) -> None:
    filled["#grid"].press("/")
    filled.type("aloe\n", delay=20)
    filled.page.keyboard.press("Enter")
    filled.type("Agave\tbed", delay=20)
    filled.assert_stored(1, "Agave", None)
    filled.assert_count("0 of 100 plants")
    filled.type(" 9\n", delay=20)
    filled.assert_stored(1, "Agave", "bed 9")
    expect(filled["#rows .row"]).to_have_count(0)


def test_the_editor_keeps_the_focus_when_sorting_moves_its_row(filled: PageDriver) -> None:
    filled["#grid [data-order=name]"].click()
    filled["#rows .row >> nth=2 >> .name"].dblclick()
    filled.type("Aaron's rod\tbed", delay=20)
    expect(filled["#rows .name"].first).to_have_text("Aaron's rod")
    filled.type(" 9\n", delay=20)
    filled.assert_stored(3, "Aaron's rod", "bed 9")


def test_leaving_the_page_during_an_edit_asks_for_confirmation(filled: PageDriver) -> None:
    filled["#rows .row >> nth=0 >> .name"].dblclick()
    filled.type("Agave")
    with filled.page.expect_event("dialog") as dialog:
        filled.evaluate("void setTimeout(() => location.reload())")
    assert dialog.value.type == "beforeunload"
    dialog.value.dismiss()
    filled.type(" 9\n")
    filled.assert_stored(1, "Agave 9", None)


def test_an_invalid_name_keeps_the_editor_open_with_the_reason(filled: PageDriver) -> None:
    filled["#rows .row >> nth=0 >> .name"].dblclick()
    filled.page.keyboard.press("Delete")
    filled.page.keyboard.press("Enter")
    assert filled.validation_message() == "Name is missing"
    filled.type("Aloe ferox\n")
    filled.assert_stored(1, "Aloe ferox", None)


def test_the_tag_picker_offers_the_tags_of_the_store(filled: PageDriver) -> None:
    filled["#rows .row >> nth=0 >> .tag"].dblclick()
    expect(filled["#picker li"]).to_have_count(1)
    filled.type("be")
    filled.page.keyboard.press("ArrowDown")
    filled.page.keyboard.press("Enter")
    filled.assert_stored(1, "Aloe vera", "bed 3")
    expect(filled["#picker"]).to_be_hidden()


def test_the_later_of_two_quick_edits_of_a_plant_is_stored(filled: PageDriver) -> None:
    """Both edits are queued before the first has a response."""
    filled.delay(400)
    for name in ("Aloe ferox", "Aloe arborescens"):
        filled["#rows .row >> nth=0 >> .name"].dblclick()
        filled.type(f"{name}\n")
    filled.assert_stored(1, "Aloe arborescens", None)
    filled.settle()
    filled.assert_stored(1, "Aloe arborescens", None)
