"""Edit conflicts: both versions are shown, and neither is overwritten without the user's choice."""

import pytest
from playwright.sync_api import expect

from tests.features.page.page_driver import PageDriver
from tests.service import JSON


@pytest.fixture
def list_page(driver: PageDriver) -> PageDriver:
    """The list of three plants, for the signed-in owner."""
    driver.create_plants(
        {"id": 1, "name": "Fern", "tag": "herb"},
        {"id": 2, "name": "Aloe"},
        {"id": 3, "name": "Basil", "tag": "herb"},
    )
    driver.sign_in().assert_count("3 plants")
    return driver


@pytest.fixture
def conflict_page(list_page: PageDriver) -> PageDriver:
    """The conflict dialog: another user changed the plant after its cell was opened."""
    open_cell(list_page)
    replace(list_page, name="Theirs", tag="tree")
    list_page.assert_shows("tree", "#rows")
    list_page.type("Mine\n")
    list_page.assert_shows("Somebody else changed this plant", "#conflict")
    for version in ("Theirs", "Mine"):
        list_page.assert_shows(version, "#conflict-rows")
    return list_page


def open_cell(driver: PageDriver) -> None:
    driver["#rows .name"].first.dblclick()
    expect(driver[".cell-input"]).to_be_focused()


def replace(driver: PageDriver, **plant: str) -> None:
    with driver.service.client(driver.owner) as client:
        client.put("/plants/1", json=plant, headers=JSON).raise_for_status()


def first_plant(driver: PageDriver) -> tuple[str, str | None]:
    plant = driver.list_plants()[0]
    return plant["name"], plant.get("tag")


def test_editing_again_keeps_the_typed_name_and_the_others_tag(conflict_page: PageDriver) -> None:
    conflict_page.page.keyboard.press("Enter")
    expect(conflict_page[".cell-input"]).to_have_value("Mine")
    assert first_plant(conflict_page) == ("Theirs", "tree")
    conflict_page.type(" too\n")  # goes on where the user was, and replaces nothing
    conflict_page.assert_shows("Changed Mine too", "#message")
    assert first_plant(conflict_page) == ("Mine too", "tree")


def test_editing_a_tag_again_keeps_the_others_name(list_page: PageDriver) -> None:
    list_page["#rows .tag"].first.dblclick()
    replace(list_page, name="Theirs", tag="herb")
    list_page.assert_shows("Theirs", "#rows")
    list_page.type("mine\n")
    list_page.assert_shows("Somebody else changed this plant", "#conflict")
    list_page.page.keyboard.press("Enter")
    expect(list_page[".tag .cell-input"]).to_have_value("mine")
    list_page.page.keyboard.press("Enter")
    list_page.assert_stored(1, "Theirs", "mine")


def test_choosing_yours_saves_the_own_version_and_can_be_undone(conflict_page: PageDriver) -> None:
    conflict_page["#conflict [value=yours]"].click()
    conflict_page.assert_shows("Changed Mine", "#message")
    assert first_plant(conflict_page) == ("Mine", "herb")
    conflict_page.undo()
    conflict_page.assert_shows("Restored Theirs", "#message")
    assert first_plant(conflict_page) == ("Theirs", "tree")


def test_choosing_theirs_keeps_the_other_users_version(conflict_page: PageDriver) -> None:
    conflict_page["#conflict [value=theirs]"].click()
    expect(conflict_page["#rows .name"].first).to_have_text("Theirs")
    expect(conflict_page["#grid"]).to_be_focused()
    assert first_plant(conflict_page) == ("Theirs", "tree")


def test_a_message_keeps_the_text_typed_for_a_plant_that_was_deleted(list_page: PageDriver) -> None:
    open_cell(list_page)
    list_page.type("Mine")
    with list_page.service.client(list_page.owner) as client:
        client.delete("/plants/1").raise_for_status()
    list_page.assert_shows("Not saved: Mine.", "#message")
    expect(list_page[".cell-input"]).to_have_count(0)


def test_choosing_yours_recreates_a_plant_that_another_user_deleted(list_page: PageDriver) -> None:
    list_page.block_streams().page.reload()
    list_page.assert_count("3 plants")
    with list_page.service.client(list_page.owner) as client:
        client.delete("/plants/1").raise_for_status()
    open_cell(list_page)
    list_page.type("Mine\n")
    list_page.assert_shows("Somebody else deleted this plant", "#conflict")
    list_page["#conflict [value=yours]"].click()
    list_page.assert_shows("Changed Mine", "#message")
    assert first_plant(list_page) == ("Mine", "herb")


def test_a_change_by_another_user_between_read_and_write_conflicts(list_page: PageDriver) -> None:
    held = list_page.hold("**/plants/1", responses=True)
    open_cell(list_page)
    list_page.type("Mine\n")
    list_page.wait_until(lambda: held.routes)
    replace(list_page, name="Theirs")
    held.release()
    list_page.assert_shows("Somebody else changed this plant", "#conflict")
    assert first_plant(list_page) == ("Theirs", None)


def test_a_bulk_tag_does_not_overwrite_another_users_change(list_page: PageDriver) -> None:
    for row in (0, 2):
        list_page["#rows .check"].nth(row).click()
    list_page["#retag-open"].click()
    held = list_page.hold("**/plants/1", responses=True)
    list_page.type("shade\n")
    list_page.wait_until(lambda: held.routes)
    replace(list_page, name="Theirs")
    held.release()
    list_page.assert_shows("Set tag shade: Basil. Not saved: Theirs.", "#message")
    list_page.assert_shows("Somebody else changed this plant", "#message")
    assert first_plant(list_page) == ("Theirs", None)


def test_undoing_an_edit_that_was_overwritten_names_and_restores_the_former_text(
    list_page: PageDriver,
) -> None:
    open_cell(list_page)
    list_page.type("Mine\n")
    list_page.assert_shows("Changed Mine", "#message")
    replace(list_page, name="Theirs", tag="tree")
    list_page.assert_shows("tree", "#rows")
    list_page.undo()
    list_page.assert_shows("Not saved: Fern. Somebody else changed this plant", "#message")
    assert first_plant(list_page) == ("Theirs", "tree")
    list_page["#message"].get_by_role("button", name="Try again").click()
    list_page.assert_shows("Restored Fern", "#message")
    assert first_plant(list_page) == ("Fern", "tree")
