"""What happened to a plant and to the store, who did it, and a plant as it was, restored."""

import pytest
from playwright.sync_api import expect

from plantstore.core.model import Role
from tests.features.page.page_driver import PageDriver
from tests.service import JSON


@pytest.fixture
def driver(driver: PageDriver) -> PageDriver:
    """A fern that was renamed, and an aloe that was deleted."""
    driver.create_plants({"id": 1, "name": "Fern", "tag": "shade"}, {"id": 2, "name": "Aloe"})
    with driver.service.client(driver.owner) as client:
        client.put("/plants/1", json={"name": "Tree fern"}, headers=JSON).raise_for_status()
        client.delete("/plants/2").raise_for_status()
    return driver


def open_history(driver: PageDriver) -> list[str]:
    """Open the store's; what is said of each event, the newest first."""
    driver.assert_shows("Tree fern", "#rows")
    driver["#export-summary"].click()
    driver["#history-open"].click()
    return events_of(driver)


def events_of(driver: PageDriver) -> list[str]:
    expect(driver["#history-state"]).to_be_empty()
    return [text.strip() for text in driver["#history-events p:nth-child(2)"].all_inner_texts()]


def restore(driver: PageDriver, number: int) -> None:
    driver["#history-events li"].nth(number).get_by_role("button", name="Restore").click()


def test_the_stores_history_says_what_and_who_and_restores(driver: PageDriver) -> None:
    driver.sign_in()
    assert open_history(driver) == [
        "Deleted Aloe (2)",
        "Changed Tree fern (1)",
        "Added Aloe (2)",
        "Added Fern (1) shade",
    ]
    expect(driver["#history-events .hint"].first).to_contain_text(f"owner-of-{driver.store}")
    expect(driver["#history-more"]).to_be_hidden()
    restore(driver, 0)
    driver.assert_shows("Restored Aloe", "#toasts")
    driver.assert_count("2 plants")
    assert {"id": 2, "name": "Aloe"} in driver.list_plants()


def test_an_earlier_version_of_a_plant_is_restored(driver: PageDriver) -> None:
    driver.sign_in().assert_shows("Tree fern", "#rows")
    driver["#grid"].press("i")
    driver["#detail-history"].click()
    driver.assert_shows("History of Tree fern", "#history")
    assert events_of(driver) == ["Changed Tree fern (1)", "Added Fern (1) shade"]
    restore(driver, 1)
    driver.assert_shows("Restored Fern", "#toasts")
    assert driver.list_plants() == [{"id": 1, "name": "Fern", "tag": "shade"}]


def test_a_reader_sees_what_happened_but_not_who_and_leaves_nothing(driver: PageDriver) -> None:
    driver.sign_in(driver.service.make_token(driver.store, "reader", role=Role.READER))
    assert len(open_history(driver)) == 4
    expect(driver["#history"]).not_to_contain_text("owner-of")
    expect(driver["#history-events button"]).to_have_count(0)
    driver["#history"].get_by_role("button", name="Close").click()
    expect(driver["#history-events li"]).to_have_count(0)


def test_a_long_history_is_read_in_parts(driver: PageDriver) -> None:
    driver.create_plants(*({"id": number, "name": f"P{number}"} for number in range(10, 70)))
    driver.sign_in()
    driver.respond("**/events?limit=1000&after=0", 410, '{"error": 41001, "message": "trimmed"}')
    assert len(open_history(driver)) == 64
    expect(driver["#history-events li"].last).to_contain_text("Added Fern (1)")
