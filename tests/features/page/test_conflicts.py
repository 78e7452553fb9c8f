"""Edit conflicts: both versions are shown, and neither is overwritten without the user's choice."""

import pytest
from playwright.sync_api import expect

from tests.features.page.page_driver import PageDriver
from tests.service import JSON


@pytest.fixture
def opened(driver: PageDriver) -> PageDriver:
    """The list of three plants, for the signed-in owner."""
    driver.create_plants(
        {"id": 1, "name": "Fern", "tag": "herb"},
        {"id": 2, "name": "Aloe"},
        {"id": 3, "name": "Basil", "tag": "herb"},
    )
    driver.sign_in().assert_count("3 plants")
    return driver


@pytest.fixture
def conflict(opened: PageDriver) -> PageDriver:
    """The conflict dialog: another user changed the plant after its cell was opened."""
    open_cell(opened)
    replace(opened, name="Theirs", tag="tree")
    opened.assert_shows("tree", "#rows")
    opened.type("Mine\n")
    opened.assert_shows("Somebody else changed this plant", "#conflict")
    for version in ("Theirs", "Mine"):
        opened.assert_shows(version, "#conflict-rows")
    return opened


def open_cell(driver: PageDriver) -> None:
    driver["#rows .name"].first.dblclick()
    expect(driver[".cell-input"]).to_be_focused()


def replace(driver: PageDriver, **plant: str) -> None:
    with driver.service.client(driver.owner) as client:
        client.put("/plants/1", json=plant, headers=JSON).raise_for_status()


def first_plant(driver: PageDriver) -> tuple[str, str | None]:
    plant = driver.list_plants()[0]
    return plant["name"], plant.get("tag")


def test_editing_again_keeps_the_typed_name_and_the_others_tag(conflict: PageDriver) -> None:
    conflict.page.keyboard.press("Enter")
    expect(conflict[".cell-input"]).to_have_value("Mine")
    assert first_plant(conflict) == ("Theirs", "tree")
    conflict.page.keyboard.press("Enter")
    conflict.assert_shows("Changed Mine", "#message")
    assert first_plant(conflict) == ("Mine", "tree")


def test_choosing_yours_saves_the_own_version_and_can_be_undone(conflict: PageDriver) -> None:
    conflict["#conflict [value=yours]"].click()
    conflict.assert_shows("Changed Mine", "#message")
    assert first_plant(conflict) == ("Mine", "herb")
    conflict.undo()
    conflict.assert_shows("Restored Theirs", "#message")
    assert first_plant(conflict) == ("Theirs", "tree")


def test_choosing_theirs_keeps_the_other_users_version(conflict: PageDriver) -> None:
    conflict["#conflict [value=theirs]"].click()
    expect(conflict["#rows .name"].first).to_have_text("Theirs")
    expect(conflict["#grid"]).to_be_focused()
    assert first_plant(conflict) == ("Theirs", "tree")


def test_a_message_keeps_the_text_typed_for_a_plant_that_was_deleted(opened: PageDriver) -> None:
    open_cell(opened)
    opened.type("Mine")
    with opened.service.client(opened.owner) as client:
        client.delete("/plants/1").raise_for_status()
    opened.assert_shows("Not saved: Mine.", "#message")
    expect(opened[".cell-input"]).to_have_count(0)


def test_choosing_yours_recreates_a_plant_that_another_user_deleted(opened: PageDriver) -> None:
    opened.block_streams().page.reload()
    opened.assert_count("3 plants")
    with opened.service.client(opened.owner) as client:
        client.delete("/plants/1").raise_for_status()
    open_cell(opened)
    opened.type("Mine\n")
    opened.assert_shows("Somebody else deleted this plant", "#conflict")
    opened["#conflict [value=yours]"].click()
    opened.assert_shows("Changed Mine", "#message")
    assert first_plant(opened) == ("Mine", "herb")


def test_a_change_by_another_user_between_read_and_write_conflicts(opened: PageDriver) -> None:
    held = opened.hold("**/plants/1", responses=True)
    open_cell(opened)
    opened.type("Mine\n")
    opened.wait_until(lambda: held.routes)
    replace(opened, name="Theirs")
    held.release()
    opened.assert_shows("Somebody else changed this plant", "#conflict")
    assert first_plant(opened) == ("Theirs", None)


def test_a_bulk_tag_does_not_overwrite_another_users_change(opened: PageDriver) -> None:
    for row in (0, 2):
        opened["#rows .check"].nth(row).click()
    opened["#retag-open"].click()
    held = opened.hold("**/plants/1", responses=True)
    opened.type("shade\n")
    opened.wait_until(lambda: held.routes)
    replace(opened, name="Theirs")
    held.release()
    opened.assert_shows("Set tag shade: Basil. Not saved: Theirs.", "#message")
    opened.assert_shows("Somebody else changed this plant", "#message")
    assert first_plant(opened) == ("Theirs", None)
