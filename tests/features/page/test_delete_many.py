"""Deleting many: asked about, stopped; when it fails one learns what is left and goes on."""

import re
from itertools import count

import pytest
from playwright.sync_api import Route, expect

from tests.features.page.page_driver import PageDriver
from tests.http.blocking import fill_store

FAILED = '{"error": 50001, "message": "the service failed"}'
COUNT_CLOSES = """() => {
    window.closes = 0;
    const dialog = document.getElementById("confirm");
    dialog.addEventListener("close", () => { window.closes += 1; });
}"""


@pytest.fixture
def driver(driver: PageDriver) -> PageDriver:
    """A list of 120 plants, all of them selected."""
    fill_store(driver.service, driver.store, 120)
    driver.sign_in().assert_count("120 plants")
    driver["#grid"].press("Control+a")
    driver.assert_shows("120 selected", "#selection")
    return driver


def delete_all(driver: PageDriver) -> None:
    driver["#grid"].press("Delete")
    driver["#confirm [value=yes]"].click()


def test_very_many_are_asked_about_first(driver: PageDriver) -> None:
    driver["#delete-selected"].focus()
    driver.evaluate(COUNT_CLOSES)
    driver.page.keyboard.down("Enter")
    driver.assert_shows("Delete 120 plants?", "#confirm")
    expect(driver["#confirm [value=no]"]).to_be_focused()
    driver.repeat_key("Enter")
    driver.settle()
    assert driver.evaluate("window.closes") == 0
    driver["#confirm [value=no]"].click()
    driver.settle()
    assert len(driver.list_plants()) == 120
    delete_all(driver)
    driver.assert_shows("Deleted 120 plants", "#toasts")
    expect(driver["#state-empty"]).to_be_visible()
    assert driver.list_plants() == []


def test_what_failed_is_counted_and_stays_selected(driver: PageDriver) -> None:
    requests = count()

    def respond(route: Route) -> None:
        if next(requests):
            route.fulfill(status=500, body=FAILED, content_type="application/json")
        else:
            first = str(route.request.post_data).split("\n")[:40]
            route.fulfill(response=route.fetch(post_data="\n".join(first)))

    driver.route("**/changes", respond)
    delete_all(driver)
    driver.assert_shows("80 plants were not deleted", "#toasts")
    expect(driver["#toasts"]).to_contain_text(re.compile(r"Deleted 40\b"))
    driver.assert_count("80 plants")
    driver.assert_shows("80 selected", "#selection")
    assert len(driver.list_plants()) == 80


def test_leaving_meanwhile_is_asked_about_and_what_is_in_flight_at_a_stop_is_counted(
    driver: PageDriver,
) -> None:
    held = driver.hold("**/changes")
    delete_all(driver)
    driver.wait_until(lambda: held.routes)
    with driver.page.expect_event("dialog") as asked:
        driver.evaluate("setTimeout(() => location.reload())")
    assert asked.value.type == "beforeunload"
    asked.value.dismiss()
    driver["#toasts"].get_by_role("button", name="Stop").click()
    held.release()
    driver.assert_shows("Deleted 120 plants", "#toasts")
    assert driver.list_plants() == []


def test_a_stop_ends_the_tries_too(driver: PageDriver) -> None:
    for pattern in ("**/changes", "**/livez"):
        driver.route(pattern, lambda route: route.abort())
    delete_all(driver)
    expect(driver["#offline"]).to_be_visible()
    driver["#toasts"].get_by_role("button", name="Stop").click()
    driver.page.unroute("**/changes")
    driver.assert_shows("120 plants were not deleted", "#toasts")
    expect(driver["#rows .busy"]).to_have_count(0)
    assert len(driver.list_plants()) == 120


def test_an_undo_that_failed_is_tried_again(driver: PageDriver) -> None:
    driver["#clear-selected"].click()
    driver["#rows .remove"].first.click()
    driver.assert_shows("Deleted 000001xxxx", "#toasts")
    driver.respond("**/changes", 500, FAILED)
    driver.undo()
    driver.assert_shows("000001xxxx was not restored", "#toasts")
    driver.page.unroute("**/changes")
    driver["#toasts"].get_by_role("button", name="Try again").click()
    driver.assert_shows("Restored 000001xxxx", "#toasts")
    assert len(driver.list_plants()) == 120
