"""Adding, editing and deleting plants."""

from collections.abc import Iterator

from playwright.sync_api import expect

from tests.features.page.page_driver import PageDriver
from tests.features.page.states.setup import abort_requests, browse, flow, respond_with_error
from tests.service import JSON


@flow
def adding(driver: PageDriver) -> Iterator[str]:
    browse(driver)
    driver["#grid"].press("+")
    driver.type("Zamioculcas zamiifolia\ttro")
    expect(driver["#picker"]).to_be_visible()
    yield "typing"
    driver.page.keyboard.press("Enter")
    driver.assert_shows("Added", "#message")
    yield "added"
    respond_with_error(driver, "**/changes", 40302, "the store is full: delete plants")
    driver["#add-name"].focus()
    driver.type("Another\n")
    expect(driver[".row.refused"]).to_be_visible()
    yield "add_refused"
    abort_requests(driver, "**/changes", "**/livez")
    driver.type("And another\n")
    expect(driver["#offline"]).to_be_visible()
    yield "adding_offline"


def select_some(driver: PageDriver) -> None:
    browse(driver)["#grid"].focus()
    for key in ("Space", "ArrowDown", "Shift+ArrowDown", "Shift+ArrowDown"):
        driver["#grid"].press(key)
    expect(driver["#selection"]).to_be_visible()


@flow
def deleting(driver: PageDriver) -> Iterator[str]:
    select_some(driver)
    yield "selected"
    driver["#retag-open"].click()
    expect(driver["#picker"]).to_be_visible()
    yield "tagging"
    driver["#retag-tag"].press("Escape")
    driver["#delete-selected"].click()
    driver.assert_shows("Deleted", "#message")
    yield "deleted"
    respond_with_error(driver, "**/changes", 50001, "the service failed: its log has the cause")
    driver["#rows .check"].first.click()
    driver["#delete-selected"].click()
    driver.assert_shows("Not saved", "#message.failed")
    yield "delete_failed"
    driver.page.unroute("**/changes")
    driver.create_many({"id": number, "name": "Fern"} for number in range(20))
    driver.assert_count("64 plants")
    driver["#grid"].press("Control+a")
    driver["#delete-selected"].click()
    expect(driver["#ask"]).to_be_visible()
    yield "asked"
    driver.hold("**/changes")
    driver["#ask-yes"].click()
    driver.assert_shows("0 of 64", "#message")
    yield "deleting"


@flow
def editing(driver: PageDriver) -> Iterator[str]:
    browse(driver)["#grid"].press("Enter")
    expect(driver[".cell-input"]).to_be_visible()
    yield "editing"
    driver.page.keyboard.press("Delete")
    driver.page.keyboard.press("Enter")
    expect(driver[".cell-input:invalid"]).to_be_visible()
    yield "edit_refused"
    driver.block_streams().type("Aloe vera ‘Minima’")
    driver.page.keyboard.press("Escape")
    driver["#grid"].press("Control+i")
    driver["#panel-name"].fill("Aloe vera ‘Minima’")
    held = driver.hold("**/plants/1001")
    driver["#panel-name"].press("Enter")
    with driver.service.client(driver.owner) as client:
        client.put("/plants/1001", json={"name": "Aloe barbadensis"}, headers=JSON)
    held.release()
    expect(driver["#conflict"]).to_be_visible()
    yield "edit_conflict"
    driver["#conflict [value=yours]"].click()
    driver.assert_shows("Changed", "#message")
    yield "edited"
