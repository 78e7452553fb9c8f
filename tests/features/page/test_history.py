"""The history of a store and of a plant: who did what, restoring, and what readers see."""

import pytest
from playwright.sync_api import expect

from plantstore.core.model import Role
from tests.features.page.page_driver import PageDriver
from tests.service import JSON


@pytest.fixture
def driver(driver: PageDriver) -> PageDriver:
    """A tab, not yet open, for a store with a fern renamed twice and an aloe deleted."""
    driver.create_plants({"id": 1, "name": "Fern", "tag": "shade"}, {"id": 2, "name": "Aloe"})
    with driver.service.client(driver.owner) as client:
        for name in ("Tree", "Tree fern"):
            client.put("/plants/1", json={"name": name}, headers=JSON).raise_for_status()
        client.delete("/plants/2").raise_for_status()
    return driver


def open_history(driver: PageDriver) -> list[str]:
    """Open the history; the text of each action, newest first."""
    driver.assert_count("1 plant")
    driver.open_menu("#history-open")
    expect(driver["#history-events li"]).not_to_have_count(0)
    return driver["#history-events li > p:first-child"].all_inner_texts()


def test_the_history_says_who_did_what_and_restores_a_plant(driver: PageDriver) -> None:
    driver.sign_in()
    owner = f"owner-of-{driver.store}"
    assert open_history(driver) == [
        f"{owner} deleted Aloe",
        f"{owner} changed Tree fern",
        f"{owner} changed Tree",
        f"{owner} added 2 plants",
    ]
    expect(driver["#history-events > button"]).to_have_count(0)
    driver.page.reload()  # the history has an address
    driver["#history-events li"].nth(2).get_by_role("button", name="Restore").click()
    driver.assert_shows("Restored Fern", "#message")
    expect(driver["#grid"]).to_be_focused()
    assert driver.list_plants() == [{"id": 1, "name": "Fern", "tag": "shade"}]


def test_the_panel_shows_the_plants_history_and_restores_a_version(driver: PageDriver) -> None:
    driver.sign_in().assert_count("1 plant")
    driver["#grid"].press("Control+i")
    events = driver["#panel-events li"]
    expect(events).to_have_count(3)
    expect(events.nth(1)).to_contain_text("Fern → Tree shade → No tag")
    events.nth(1).get_by_role("button", name="Restore").click()
    driver.assert_shows("Restored Fern", "#message")
    expect(events).to_have_count(4)


def test_the_older_button_loads_events_of_a_plant_before_5000_others(driver: PageDriver) -> None:
    driver.create_many({"id": n, "name": f"Moss {n}"} for n in range(10, 5_010))
    driver.sign_in().assert_count("5,001 plants")
    driver["#grid"].press("Control+i")
    driver["#panel-events"].get_by_role("button", name="Older").press("Enter")
    expect(driver["#panel-events li"]).to_have_count(3)
    expect(driver["#panel-title"]).to_be_focused()


def test_a_reader_sees_actions_without_users_and_cannot_restore(driver: PageDriver) -> None:
    driver.sign_in(driver.service.make_token(driver.store, "reader", role=Role.READER))
    assert open_history(driver)[0] == "deleted Aloe"
    expect(driver["#history-events button"]).to_have_count(0)
    driver.page.keyboard.press("Escape")
    expect(driver["#history-events li"]).to_have_count(0)


def test_the_history_shows_all_remaining_events_after_a_trim(driver: PageDriver) -> None:
    driver.sign_in()
    driver.respond("**/events?limit=*&after=0", 410, '{"error": 41001, "message": "trimmed"}')
    assert len(open_history(driver)) == 4
