"""Editing a plant in its row, retagging several; and somebody else who is faster."""

import pytest
from playwright.sync_api import Route, expect

from tests.features.page.page_driver import PageDriver
from tests.service import JSON

PLANTS = (
    {"id": 1, "name": "Fern", "tag": "herb"},
    {"id": 2, "name": "Aloe"},
    {"id": 3, "name": "Basil", "tag": "herb"},
)


def open_editor(driver: PageDriver, name: str) -> None:
    driver["#rows .name"].filter(has_text=name).dblclick()
    expect(driver["#edit-name"]).to_be_focused()


def rename(driver: PageDriver, name: str) -> None:
    driver["#edit-name"].fill(name)
    driver["#edit-name"].press("Enter")


def replace(driver: PageDriver, plant_id: int, **plant: str) -> None:
    """Replace it as somebody else does."""
    with driver.service.client(driver.owner) as client:
        client.put(f"/plants/{plant_id}", json=plant, headers=JSON).raise_for_status()


def plants_by_id(driver: PageDriver) -> dict[int, tuple[str, str | None]]:
    return {one["id"]: (one["name"], one.get("tag")) for one in driver.list_plants()}


@pytest.fixture
def opened(driver: PageDriver) -> PageDriver:
    """A list of three plants."""
    driver.create_plants(*PLANTS)
    driver.sign_in().assert_count("3 plants")
    return driver


def test_a_plant_is_edited_by_keyboard_and_put_back(opened: PageDriver) -> None:
    opened["#grid"].focus()
    opened["#grid"].press("ArrowDown")
    opened["#grid"].press("Enter")
    expect(opened["#edit-name"]).to_be_focused()
    opened["#edit-name"].fill("Aloe vera")
    opened["#edit-tag"].fill("succulent")
    opened["#edit-tag"].press("Enter")
    opened.assert_shows("Changed Aloe vera", "#toasts")
    expect(opened["#edit"]).to_be_hidden()
    expect(opened["#grid"]).to_be_focused()
    assert opened.names() == ["Fern", "Aloe vera", "Basil"]
    opened.assert_shows("succulent", "#tag-bars")
    assert plants_by_id(opened)[2] == ("Aloe vera", "succulent")
    opened.undo()
    opened.assert_shows("Restored Aloe", "#toasts")
    assert plants_by_id(opened)[2] == ("Aloe", None)


def test_two_edits_of_a_plant_are_undone_at_once(opened: PageDriver) -> None:
    for name in ("Tree fern", "Silver fern"):
        open_editor(opened, opened.names()[0])
        rename(opened, name)
        opened.assert_shows(f"Changed {name}", "#toasts")
    opened.undo()
    opened.assert_shows("Restored Fern", "#toasts")
    assert plants_by_id(opened)[1] == ("Fern", "herb")


def test_escape_and_no_change_send_nothing_but_work_elsewhere_saves(opened: PageDriver) -> None:
    open_editor(opened, "Fern")
    rename(opened, "  ")
    opened.assert_shows("name must not be only white space", "#edit-reason")
    expect(opened["#edit-name"]).to_have_value("  ")
    sent = opened.record_requests("PUT")
    opened["#edit-name"].fill("Other")
    opened["#edit-name"].press("Escape")
    open_editor(opened, "Fern")
    opened["#edit-name"].press("Enter")
    expect(opened["#edit"]).to_be_hidden()
    opened.settle()
    assert sent == []
    open_editor(opened, "Fern")
    opened["#edit-name"].fill("Tree fern")
    opened["#find"].click()
    opened.assert_shows("Changed Tree fern", "#toasts")
    expect(opened["#find"]).to_be_focused()


def conflict(driver: PageDriver) -> None:
    """Edit a plant that somebody else changes meanwhile, unheard."""
    open_editor(driver, "Fern")
    driver["#edit-name"].fill("Mine")
    replace(driver, 1, name="Theirs", tag="tree")
    driver.assert_shows("Theirs", "#rows")
    driver["#edit-name"].press("Enter")
    driver.assert_shows("Somebody else changed this plant", "#conflict")
    driver.assert_shows("Theirs", "#conflict")
    driver.assert_shows("Mine", "#conflict")


def test_after_a_conflict_editing_goes_on_and_ones_own_version_is_kept(opened: PageDriver) -> None:
    conflict(opened)
    opened.page.keyboard.press("Escape")
    expect(opened["#edit-name"]).to_have_value("Mine")
    expect(opened["#edit-reason"]).to_be_visible()
    opened["#edit-name"].press("Enter")
    opened["#conflict [value=yours]"].click()
    opened.assert_shows("Changed Mine", "#toasts")
    assert plants_by_id(opened)[1] == ("Mine", "herb")
    opened.undo()
    opened.assert_shows("Restored Theirs", "#toasts")
    assert plants_by_id(opened)[1] == ("Theirs", "tree")


def test_the_others_version_is_taken(opened: PageDriver) -> None:
    conflict(opened)
    opened["#conflict [value=theirs]"].click()
    expect(opened["#edit"]).to_be_hidden()
    assert opened.names()[0] == "Theirs"
    assert plants_by_id(opened)[1] == ("Theirs", "tree")


def test_a_plant_deleted_meanwhile_is_created_again(opened: PageDriver) -> None:
    open_editor(opened, "Fern")
    with opened.service.client(opened.owner) as client:
        client.delete("/plants/1").raise_for_status()
    rename(opened, "Mine")
    opened.assert_shows("Somebody else deleted this plant", "#conflict")
    opened["#conflict [value=yours]"].click()
    opened.assert_shows("Changed Mine", "#toasts")
    assert plants_by_id(opened)[1] == ("Mine", "herb")


def test_an_edit_between_reading_and_writing_is_a_conflict(opened: PageDriver) -> None:
    open_editor(opened, "Fern")
    held = opened.hold("**/plants/1", responses=True)
    rename(opened, "Mine")
    opened.wait_until(lambda: held.routes)
    replace(opened, 1, name="Theirs")
    held.release()
    opened.assert_shows("Somebody else changed this plant", "#conflict")
    assert plants_by_id(opened)[1] == ("Theirs", None)


def test_a_proxy_that_alters_entity_tags_is_told_of_after_two_retries(opened: PageDriver) -> None:
    def alter(route: Route) -> None:
        altered = {"if-match": '"altered"'} if route.request.method == "PUT" else {}
        route.continue_(headers=route.request.headers | altered)

    opened.route("**/plants/1", alter)
    sent = opened.record_requests("PUT")
    open_editor(opened, "Fern")
    rename(opened, "Mine")
    opened.assert_shows("a proxy may alter its ETag", "#edit-reason")
    assert len(sent) == 3
    assert plants_by_id(opened)[1] == ("Fern", "herb")


def test_the_selection_is_retagged_and_put_back(opened: PageDriver) -> None:
    before = opened.list_plants()
    opened["#grid"].press("Control+a")
    opened["#retag-tag"].fill("shade")
    opened["#retag-tag"].press("Enter")
    opened.assert_shows("Changed 3 plants", "#toasts")
    opened.assert_shows("3 selected", "#selection")
    assert {tag for _, tag in plants_by_id(opened).values()} == {"shade"}
    opened.undo()
    opened.assert_shows("Restored 3 plants", "#toasts")
    assert opened.list_plants() == before


def test_what_others_changed_is_not_retagged(opened: PageDriver) -> None:
    opened["#rows .check"].first.click()
    opened["#rows .check"].nth(2).click()
    opened["#retag-tag"].fill("shade")
    held = opened.hold("**/plants/1", responses=True)
    opened["#retag-tag"].press("Enter")
    opened.wait_until(lambda: held.routes)
    replace(opened, 1, name="Theirs")
    held.release()
    opened.assert_shows("Changed Basil", "#toasts")
    opened.assert_shows("was not changed: somebody else has changed it", "#toasts")
    assert plants_by_id(opened)[1] == ("Theirs", None)


def test_an_edit_that_was_left_and_is_refused_is_told(opened: PageDriver) -> None:
    held = opened.hold("**/plants/2")
    open_editor(opened, "Aloe")
    rename(opened, "x" * 1001)
    opened.wait_until(lambda: held.routes)
    opened["#edit-name"].press("Escape")
    held.release()
    opened.assert_shows("Aloe was not changed: name must be 1 to 1,000 characters", "#toasts")
