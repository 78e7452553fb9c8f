"""Deleting one plant or many: undo, held keys, confirmation, stop, failure and retry."""

from itertools import count

import pytest
from playwright.sync_api import Route, expect

from tests.features.page.page_driver import PageDriver
from tests.http.blocking import fill_store

FAILED = '{"error": 50001, "message": "the service failed"}'
COUNT_CLOSES = """() => {
    window.closes = 0;
    const dialog = document.getElementById("ask");
    dialog.addEventListener("close", () => { window.closes += 1; });
}"""


@pytest.fixture
def driver(driver: PageDriver) -> PageDriver:
    """The list of 120 plants, for the signed-in owner."""
    fill_store(driver.service, driver.store, 120, size=6)
    driver.sign_in().assert_count("120 plants")
    return driver


def delete(driver: PageDriver, name: str) -> None:
    driver.page.get_by_role("button", name=f"Delete {name}").click()
    driver.assert_shows(f"Deleted {name}", "#message")


def delete_all(driver: PageDriver) -> None:
    driver["#grid"].press("Control+a")
    driver["#grid"].press("Delete")
    driver["#ask-yes"].click()


def test_undo_restores_a_deleted_plant_unless_its_id_was_taken(driver: PageDriver) -> None:
    before = driver.list_plants()
    delete(driver, "000002")
    assert driver.list_plants() == [before[0], *before[2:]]
    driver.undo()
    driver.assert_shows("Restored 000002", "#message")
    assert driver.list_plants() == before
    delete(driver, "000003")
    driver.create_plants({"id": 3, "name": "Another"})
    driver.undo()
    text = "Not saved: 000003. This ID belongs to another plant"
    driver.assert_shows(text, "#message")
    assert driver.list_plants()[2]["name"] == "Another"


def test_a_held_key_or_a_double_click_deletes_only_one_plant(driver: PageDriver) -> None:
    requests = driver.record_requests("POST")
    driver["#grid"].press("Backspace")
    driver.page.keyboard.down("Delete")
    driver.assert_count("119 plants")
    driver.repeat_key("Delete")
    driver.settle()
    driver["#rows .remove"].nth(2).hover()
    driver.page.mouse.down()
    driver.page.mouse.up()
    driver.assert_count("118 plants")
    driver.page.mouse.down(click_count=2)
    driver.page.mouse.up(click_count=2)
    driver.settle()
    assert len(requests) == 2
    assert len(driver.list_plants()) == 118


def test_a_delete_in_flight_is_sent_once_and_does_not_move_the_focus(driver: PageDriver) -> None:
    requests = driver.record_requests("POST")
    held = driver.hold("**/changes")
    for key in ("Delete", "ArrowUp", "Delete"):
        driver["#grid"].press(key)
        driver.wait_until(lambda: held.routes)
    driver["#find"].click()
    driver.type("0000")
    held.release()
    driver.assert_shows("Deleted 000001", "#message")
    driver.settle()
    driver.type("1")
    expect(driver["#find"]).to_have_value("00001")
    assert len(requests) == 1
    assert len(driver.list_plants()) == 119


def test_a_plant_can_be_deleted_while_its_change_is_in_flight(driver: PageDriver) -> None:
    held = driver.hold("**/changes")
    driver["#grid"].press("F2")
    driver.type("Fern\n")
    driver.wait_until(lambda: held.routes)
    driver["#grid"].press("Delete")
    held.release()
    driver.assert_shows("Deleted Fern", "#message")
    driver.assert_count("119 plants")


def test_a_delete_or_undo_that_another_user_already_did_succeeds(driver: PageDriver) -> None:
    driver.block_streams().page.reload()
    driver.assert_count("120 plants")
    with driver.service.client(driver.owner) as client:
        client.delete("/plants/2").raise_for_status()
    delete(driver, "000002")
    driver.create_plants({"id": 2, "name": "000002", "tag": "even"})
    driver.undo()
    driver.assert_shows("Restored 000002", "#message")


def test_deleting_many_plants_asks_first_and_a_held_enter_cannot_confirm(
    driver: PageDriver,
) -> None:
    driver["#grid"].press("Control+a")
    driver["#delete-selected"].focus()
    driver.evaluate(COUNT_CLOSES)
    driver.page.keyboard.down("Enter")
    driver.assert_shows("Delete 120 plants?", "#ask")
    expect(driver["#ask [value=no]"]).to_be_focused()
    driver.repeat_key("Enter")
    driver.settle()
    assert driver.evaluate("window.closes") == 0
    driver["#ask [value=no]"].click()
    driver.settle()
    assert len(driver.list_plants()) == 120


def test_failed_deletes_are_counted_and_can_be_retried(driver: PageDriver) -> None:
    requests = count()

    def respond(route: Route) -> None:
        if next(requests):
            route.fulfill(status=500, body=FAILED, content_type="application/json")
        else:
            first = str(route.request.post_data).split("\n")[:40]
            route.fulfill(response=route.fetch(post_data="\n".join(first)))

    driver.route("**/changes", respond)
    delete_all(driver)
    driver.assert_shows("Deleted 40 plants. Not saved: 80 plants.", "#message")
    driver.assert_count("80 plants")
    assert len(driver.list_plants()) == 80
    driver.page.unroute("**/changes")
    driver["#message"].get_by_role("button", name="Try again").click()
    driver.assert_shows("Deleted 80 plants", "#message")
    assert driver.list_plants() == []


def test_leaving_during_a_delete_asks_and_a_stop_counts_sent_deletes(driver: PageDriver) -> None:
    held = driver.hold("**/changes")
    delete_all(driver)
    driver.wait_until(lambda: held.routes)
    with driver.page.expect_event("dialog") as dialog:
        driver.evaluate("setTimeout(() => location.reload())")
    assert dialog.value.type == "beforeunload"
    dialog.value.dismiss()
    driver["#message"].get_by_role("button", name="Stop").click()
    held.release()
    driver.assert_shows("Deleted 120 plants", "#message")
    assert driver.list_plants() == []


def test_stop_ends_the_retries_of_a_delete_while_offline(driver: PageDriver) -> None:
    for pattern in ("**/changes", "**/livez"):
        driver.route(pattern, lambda route: route.abort())
    delete_all(driver)
    expect(driver["#offline"]).to_be_visible()
    driver["#message"].get_by_role("button", name="Stop").click()
    driver.assert_shows("Stopped: 120 were not changed", "#message")
    driver.page.unroute("**/changes")
    expect(driver["#rows .busy"]).to_have_count(0)
    assert len(driver.list_plants()) == 120
