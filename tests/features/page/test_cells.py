"""Editing in the row: what opens, what is saved, and that it never is another plant's."""

import pytest
from playwright.sync_api import expect

from tests.features.page.page_driver import PageDriver

NAMES = ("Aloe vera", "Basil", "Clematis montana", "Ficus lyrata", "Hedera helix")


@pytest.fixture
def filled(driver: PageDriver) -> PageDriver:
    """A store of a hundred plants, each second of which has a tag; signed in."""
    names = [NAMES[n] if n < len(NAMES) else f"Fern {n}" for n in range(100)]
    driver.create_many(
        {"id": n, "name": name, **({} if n % 2 else {"tag": "bed 3"})}
        for n, name in enumerate(names, start=1)
    )
    driver.sign_in().assert_count("100 plants")
    return driver


@pytest.mark.parametrize("key", ["Enter", "F2"])
def test_a_key_opens_the_cell_and_enter_saves_it(filled: PageDriver, key: str) -> None:
    filled["#grid"].focus()
    filled.page.keyboard.press("ArrowDown")
    filled.page.keyboard.press(key)
    filled.type("Ocimum basilicum\n")  # what was there is selected
    filled.assert_stored(2, "Ocimum basilicum", "bed 3")
    filled.assert_shows("Changed", "#message")
    expect(filled["#grid"]).to_be_focused()


@pytest.mark.parametrize("row", [0, 3])
def test_a_double_click_on_a_tag_edits_that_plant(filled: PageDriver, row: int) -> None:
    filled[f"#rows .row >> nth={row} >> .tag"].dblclick()
    filled.type("quarantine\n")
    filled.assert_stored(row + 1, NAMES[row], "quarantine")
    filled.settle()
    changed = [plant for plant in filled.list_plants() if plant.get("tag") == "quarantine"]
    assert [plant["id"] for plant in changed] == [row + 1]
    filled.assert_count("100 plants")  # and nothing is filtered


def test_the_editor_goes_with_its_row(filled: PageDriver) -> None:
    filled["#rows .row >> nth=2 >> .name"].dblclick()
    filled.type("Clematis alpina")
    filled.page.mouse.wheel(0, 1500)
    filled.page.wait_for_timeout(200)
    expect(filled[".row:has(.cell-input)"]).not_to_be_in_viewport()
    filled.page.keyboard.press("Enter")
    filled.assert_stored(3, "Clematis alpina", None)


def test_a_click_on_blank_ground_saves(filled: PageDriver) -> None:
    filled["#rows .row >> nth=0 >> .name"].dblclick()
    filled.type("Aloe ferox")
    filled["#count"].click()
    expect(filled[".cell-input"]).to_have_count(0)
    filled.assert_stored(1, "Aloe ferox", None)


def test_escape_restores_and_tab_goes_on(filled: PageDriver) -> None:
    puts = filled.record_requests("POST")
    filled["#rows .row >> nth=0 >> .name"].dblclick()
    filled.type("nothing")
    filled.page.keyboard.press("Escape")
    expect(filled["#rows .row >> nth=0 >> .name"]).to_have_text("Aloe vera")
    assert puts == []
    filled.page.keyboard.press("Enter")
    filled.type("Aloe ferox\tbed 1\t")
    filled.assert_stored(1, "Aloe ferox", "bed 1")
    expect(filled[".row:has(.cell-input) .id"]).to_have_text("2")


def test_the_editor_stays_when_its_plant_is_not_found_any_more(filled: PageDriver) -> None:
    filled["#grid"].press("/")
    filled.type("aloe\n", delay=20)
    filled.page.keyboard.press("Enter")
    filled.type("Agave\tbed", delay=20)
    filled.assert_stored(1, "Agave", None)
    filled.assert_count("0 of 100 plants")
    filled.type(" 9\n", delay=20)
    filled.assert_stored(1, "Agave", "bed 9")
    expect(filled["#rows .row"]).to_have_count(0)


def test_the_editor_keeps_the_keys_when_its_row_goes_to_another_place(filled: PageDriver) -> None:
    filled["#grid [data-order=name]"].click()
    filled["#rows .row >> nth=2 >> .name"].dblclick()
    filled.type("Aaron's rod\tbed", delay=20)
    expect(filled["#rows .name"].first).to_have_text("Aaron's rod")
    filled.type(" 9\n", delay=20)
    filled.assert_stored(3, "Aaron's rod", "bed 9")


def test_leaving_the_page_while_a_cell_is_typed_is_asked_about(filled: PageDriver) -> None:
    filled["#rows .row >> nth=0 >> .name"].dblclick()
    filled.type("Agave")
    with filled.page.expect_event("dialog") as asked:
        filled.evaluate("void setTimeout(() => location.reload())")
    assert asked.value.type == "beforeunload"
    asked.value.dismiss()
    filled.type(" 9\n")
    filled.assert_stored(1, "Agave 9", None)


def test_what_breaks_a_rule_stays_open_with_the_reason(filled: PageDriver) -> None:
    filled["#rows .row >> nth=0 >> .name"].dblclick()
    filled.page.keyboard.press("Delete")
    filled.page.keyboard.press("Enter")
    assert filled.reason() == "Name is missing"
    filled.type("Aloe ferox\n")
    filled.assert_stored(1, "Aloe ferox", None)


def test_the_picker_has_the_stores_tags(filled: PageDriver) -> None:
    filled["#rows .row >> nth=0 >> .tag"].dblclick()
    expect(filled["#picker li"]).to_have_count(1)
    filled.type("be")
    filled.page.keyboard.press("ArrowDown")
    filled.page.keyboard.press("Enter")
    filled.assert_stored(1, "Aloe vera", "bed 3")
    expect(filled["#picker"]).to_be_hidden()


def test_of_two_edits_of_a_plant_the_later_one_lasts(filled: PageDriver) -> None:
    """Both are in the queue while the first has no response."""
    filled.delay(400)
    for name in ("Aloe ferox", "Aloe arborescens"):
        filled["#rows .row >> nth=0 >> .name"].dblclick()
        filled.type(f"{name}\n")
    filled.assert_stored(1, "Aloe arborescens", None)
    filled.settle()
    filled.assert_stored(1, "Aloe arborescens", None)
