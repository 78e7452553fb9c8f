"""Editing cells: which keys and clicks open, save and cancel, and that the right plant changes."""

import pytest
from playwright.sync_api import expect

from tests.features.page.page_driver import PageDriver

NAMES = ("Aloe vera", "Basil", "Clematis montana", "Ficus lyrata", "Hedera helix")


@pytest.fixture
def list_page(driver: PageDriver) -> PageDriver:
    """The list of 100 plants, every second with a tag, for the signed-in owner."""
    names = [NAMES[n] if n < len(NAMES) else f"Fern {n}" for n in range(100)]
    driver.create_many(
        {"id": n, "name": name, **({} if n % 2 else {"tag": "bed 3"})}
        for n, name in enumerate(names, start=1)
    )
    driver.sign_in().assert_count("100 plants")
    return driver


@pytest.mark.parametrize("key", ["Enter", "F2"])
def test_a_key_opens_the_name_cell_and_enter_saves_it(list_page: PageDriver, key: str) -> None:
    list_page["#grid"].focus()
    list_page.page.keyboard.press("ArrowDown")
    list_page.page.keyboard.press(key)
    list_page.type("Ocimum basilicum\n")  # replaces the old name, which is selected
    list_page.assert_stored(2, "Ocimum basilicum", "bed 3")
    list_page.assert_shows("Changed", "#message")
    expect(list_page["#grid"]).to_be_focused()


@pytest.mark.parametrize("row", [0, 3])
def test_a_double_click_on_a_tag_edits_only_that_plant(list_page: PageDriver, row: int) -> None:
    list_page[f"#rows .row >> nth={row} >> .tag"].dblclick()
    list_page.type("quarantine\n")
    list_page.assert_stored(row + 1, NAMES[row], "quarantine")
    list_page.settle()
    changed = [plant for plant in list_page.list_plants() if plant.get("tag") == "quarantine"]
    assert [plant["id"] for plant in changed] == [row + 1]
    list_page.assert_count("100 plants")  # the click did not filter the list


def test_an_open_editor_scrolls_with_its_row_and_still_saves(list_page: PageDriver) -> None:
    list_page["#rows .row >> nth=2 >> .name"].dblclick()
    list_page.type("Clematis alpina")
    list_page.page.mouse.wheel(0, 1500)
    list_page.page.wait_for_timeout(200)
    expect(list_page[".row:has(.cell-input)"]).not_to_be_in_viewport()
    list_page.page.keyboard.press("Enter")
    list_page.assert_stored(3, "Clematis alpina", None)


def test_a_click_outside_the_cell_saves_the_edit(list_page: PageDriver) -> None:
    list_page["#rows .row >> nth=0 >> .name"].dblclick()
    list_page.type("Aloe ferox")
    list_page["#count"].click()
    expect(list_page[".cell-input"]).to_have_count(0)
    list_page.assert_stored(1, "Aloe ferox", None)


def test_escape_cancels_an_edit_and_tab_moves_to_the_next_cell(list_page: PageDriver) -> None:
    posts = list_page.record_requests("POST")
    list_page["#rows .row >> nth=0 >> .name"].dblclick()
    list_page.type("nothing")
    list_page.page.keyboard.press("Escape")
    expect(list_page["#rows .row >> nth=0 >> .name"]).to_have_text("Aloe vera")
    assert posts == []
    list_page.page.keyboard.press("Enter")
    list_page.type("Aloe ferox\tbed 1\t")
    list_page.assert_stored(1, "Aloe ferox", "bed 1")
    expect(list_page[".row:has(.cell-input) .id"]).to_have_text("2")


def test_the_editor_stays_when_its_plant_no_longer_matches_the_search(
    list_page: PageDriver,
) -> None:
    list_page["#grid"].press("/")
    list_page.type("aloe\n", delay=20)
    list_page.page.keyboard.press("Enter")
    list_page.type("Agave\tbed", delay=20)
    list_page.assert_stored(1, "Agave", None)
    list_page.assert_count("0 of 100 plants")
    list_page.type(" 9\n", delay=20)
    list_page.assert_stored(1, "Agave", "bed 9")
    expect(list_page["#rows .row"]).to_have_count(0)


def test_the_editor_keeps_the_focus_when_sorting_moves_its_row(list_page: PageDriver) -> None:
    list_page["#grid [data-order=name]"].click()
    list_page["#rows .row >> nth=2 >> .name"].dblclick()
    list_page.type("Aaron's rod\tbed", delay=20)
    expect(list_page["#rows .name"].first).to_have_text("Aaron's rod")
    list_page.type(" 9\n", delay=20)
    list_page.assert_stored(3, "Aaron's rod", "bed 9")


def test_a_renamed_plant_stays_in_view_when_the_list_is_sorted_by_name(
    list_page: PageDriver,
) -> None:
    list_page["#grid [data-order=name]"].click()
    for name, place in (("Zinnia elegans", 100), ("Acorus calamus", 1), ("Fern 500", 98)):
        list_page["#grid"].focus()
        list_page.page.keyboard.press("F2")
        list_page.type(f"{name}\n", delay=20)
        list_page.assert_shows(f"Changed {name}", "#message")
        expect(list_page["#rows .row.active .text"]).to_have_text(name)
        expect(list_page["#rows .row.active"]).to_be_in_viewport()
        expect(list_page["#rows .row.active"]).to_have_attribute("aria-rowindex", f"{place + 2}")
        expect(list_page["#grid"]).to_be_focused()


def test_the_list_has_the_focus_as_soon_as_a_cell_is_saved(list_page: PageDriver) -> None:
    list_page["#rows .row >> nth=0 >> .name"].dblclick()
    focused = list_page["#cell-name"].evaluate("""input => {
        input.dispatchEvent(new KeyboardEvent("keydown", {key: "Enter", bubbles: true}));
        return document.activeElement.id;
    }""")
    assert focused == "grid"


def test_leaving_the_page_during_an_edit_asks_for_confirmation(list_page: PageDriver) -> None:
    list_page["#rows .row >> nth=0 >> .name"].dblclick()
    list_page.type("Agave")
    with list_page.page.expect_event("dialog") as dialog:
        list_page.evaluate("void setTimeout(() => location.reload())")
    assert dialog.value.type == "beforeunload"
    dialog.value.dismiss()
    list_page.type(" 9\n")
    list_page.assert_stored(1, "Agave 9", None)


def test_an_invalid_name_keeps_the_editor_open_with_the_reason(list_page: PageDriver) -> None:
    list_page["#rows .row >> nth=0 >> .name"].dblclick()
    list_page.page.keyboard.press("Delete")
    list_page.page.keyboard.press("Enter")
    assert list_page.validation_message() == "Name is missing"
    list_page.type("Aloe ferox\n")
    list_page.assert_stored(1, "Aloe ferox", None)


def test_the_tag_picker_offers_tags_with_the_typed_words_first(list_page: PageDriver) -> None:
    list_page.create_many({"id": n, "name": "Iris", "tag": "bed 13"} for n in range(200, 260))
    list_page.assert_count("160 plants")
    list_page["#rows .row >> nth=0 >> .tag"].dblclick()
    expect(list_page["#picker li"]).to_have_text(["bed 1360", "bed 350"])
    list_page.type("3")
    list_page.page.keyboard.press("ArrowDown")
    list_page.page.keyboard.press("Enter")
    list_page.assert_stored(1, "Aloe vera", "bed 3")
    expect(list_page["#picker"]).to_be_hidden()


def test_the_later_of_two_quick_edits_of_a_plant_is_stored(list_page: PageDriver) -> None:
    """Both edits are queued before the first has a response."""
    list_page.delay(400)
    for name in ("Aloe ferox", "Aloe arborescens"):
        list_page["#rows .row >> nth=0 >> .name"].dblclick()
        list_page.type(f"{name}\n")
    list_page.assert_stored(1, "Aloe arborescens", None)
    list_page.settle()
    list_page.assert_stored(1, "Aloe arborescens", None)
