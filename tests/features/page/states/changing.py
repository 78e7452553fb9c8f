"""Adding, editing and deleting plants."""

from collections.abc import Iterator

from playwright.sync_api import expect

from tests.features.page.page_driver import PageDriver
from tests.features.page.states.setup import (
    abort_requests,
    browse,
    flow,
    respond_with_error,
    unfold,
)
from tests.service import JSON


@flow
def adding(driver: PageDriver) -> Iterator[str]:
    browse(driver)
    unfold(driver, "#add")
    driver.add_plant("Zamioculcas zamiifolia", "tropical")
    yield "added"
    driver.submit_plant("Another", "herb", "1001")
    expect(driver["#add-id-reason"]).to_be_visible()
    yield "add_refused"
    abort_requests(driver, "**/plants", "**/livez")
    driver.submit_plant("Another", "herb", "7")
    expect(driver["#offline"]).to_be_visible()
    yield "adding_offline"


def select_some(driver: PageDriver) -> None:
    """Select some plants in the filled store."""
    browse(driver)["#grid"].focus()
    for key in ("Space", "ArrowDown", "Shift+ArrowDown", "Shift+ArrowDown"):
        driver["#grid"].press(key)
    expect(driver["#selection"]).to_be_visible()


@flow
def deleting(driver: PageDriver) -> Iterator[str]:
    select_some(driver)
    yield "selected"
    driver["#delete-selected"].click()
    driver.assert_shows("Deleted", "#message")
    yield "deleted"
    respond_with_error(driver, "**/changes", 50001, "the service failed: its log has the cause")
    driver["#rows .check"].first.click()
    driver["#delete-selected"].click()
    driver.assert_shows("was not deleted", "#toasts .failed")
    yield "delete_failed"
    driver.page.unroute("**/changes")
    driver.create_plants(*({"id": number, "name": "Fern"} for number in range(20)))
    driver.assert_count("64 plants")
    driver["#grid"].press("Control+a")
    driver["#delete-selected"].click()
    expect(driver["#confirm"]).to_be_visible()
    yield "asked"
    driver.hold("**/changes")
    driver["#ask-yes"].click()
    driver.assert_shows("Deleting 64 plants", "#message")
    yield "deleting"


@flow
def editing(driver: PageDriver) -> Iterator[str]:
    browse(driver)["#rows .name"].nth(2).click()
    expect(driver["#edit-name"]).to_be_visible()
    yield "editing"
    driver["#edit-name"].fill(" ")
    driver["#edit-name"].press("Enter")
    expect(driver["#edit-reason"]).to_be_visible()
    yield "edit_refused"
    driver["#edit-name"].fill("Aloe vera ‘Minima’")
    with driver.service.client(driver.owner) as client:
        client.put("/plants/1003", json={"name": "Aloe barbadensis"}, headers=JSON)
    driver["#edit-name"].press("Enter")
    expect(driver["#conflict"]).to_be_visible()
    yield "edit_conflict"
    driver["#conflict [value=yours]"].click()
    driver.assert_shows("Changed", "#message")
    yield "edited"
