"""Live updates: others' changes appear at once, and the user's own never reload the list."""

import time

import pytest
from playwright.sync_api import Route, expect

from tests.features.page.page_driver import PageDriver
from tests.http.blocking import fill_store
from tests.service import JSON


@pytest.fixture
def list_page(driver: PageDriver) -> PageDriver:
    """The list of three plants, for the signed-in owner."""
    driver.create_plants(*({"id": number, "name": f"P{number}"} for number in (10, 20, 30)))
    driver.sign_in().assert_count("3 plants")
    return driver


def test_changes_by_others_appear_without_a_request(list_page: PageDriver) -> None:
    requests = list_page.record_requests("GET")
    list_page.create_plants({"id": 15, "name": "New", "tag": "herb"})
    list_page.assert_count("4 plants")
    list_page.assert_shows("herb", "#rows")
    with list_page.service.client(list_page.owner) as client:
        client.put("/plants/20", json={"name": "Renamed"}, headers=JSON).raise_for_status()
        client.delete("/plants/30").raise_for_status()
    list_page.assert_count("3 plants")
    assert list_page.names() == ["P10", "New", "Renamed"]
    assert requests == []


def test_a_response_that_is_older_than_an_event_hides_no_plant(list_page: PageDriver) -> None:
    held = list_page.hold("**/changes", responses=True)
    list_page["#grid"].press("Delete")
    list_page.wait_until(lambda: held.routes)
    list_page.create_plants({"id": 10, "name": "Created again"})
    list_page.assert_shows("Created again", "#rows")
    held.release()
    list_page.assert_shows("Deleted P10", "#message")
    list_page.assert_count("3 plants")
    assert list_page.names() == ["Created again", "P20", "P30"]


def test_own_changes_never_reload_the_list(driver: PageDriver) -> None:
    fill_store(driver.service, driver.store, 3000)
    driver.sign_in().assert_count("3,000 plants")
    requests = driver.record_requests("GET")
    driver.add_plant("Fern")
    driver["#rows .remove"].first.click()
    driver.assert_shows("Deleted", "#message")
    driver.undo()
    driver.assert_shows("Restored", "#message")
    driver.refocus()
    driver.assert_count("3,001 plants")
    driver.settle()
    assert requests == []
    driver["#rows .name"].nth(1).dblclick()
    driver.type("Fern\n")
    driver.assert_shows("Changed", "#message")
    driver.refocus()
    driver.settle()
    assert [url.rpartition("/")[0].endswith("/plants") for url in requests] == [True]


def test_an_interrupted_stream_resumes_and_delivers_missed_changes(driver: PageDriver) -> None:
    def end_stream(route: Route) -> None:
        message = "retry: 1\nid: 1\n\n"
        route.fulfill(status=200, body=message, content_type="text/event-stream")

    driver.create_plants({"id": 1, "name": "First"})
    driver.route("**/events", end_stream)
    driver.sign_in().assert_count("1 plant")
    driver.create_plants({"id": 2, "name": "Missed"})
    driver.page.unroute("**/events")
    driver.assert_count("2 plants")


def test_the_page_polls_for_changes_while_streams_are_refused(driver: PageDriver) -> None:
    driver.create_plants({"id": 1, "name": "First"})
    driver.install_clock()
    driver.block_streams().sign_in()
    driver.page.clock.fast_forward(2_000)
    driver.assert_count("1 plant")
    driver.create_plants({"id": 2, "name": "New"})
    driver.page.clock.fast_forward(20_000)
    driver.page.clock.fast_forward(2_000)
    driver.assert_count("2 plants")


def test_the_list_is_reloaded_once_when_its_events_are_gone(list_page: PageDriver) -> None:
    list_page.route(
        "**/events",
        lambda route: route.fulfill(
            status=410, body='{"error": 41001, "message": "gone"}', content_type="application/json"
        ),
        times=1,
    )
    requests = list_page.record_requests("GET")
    list_page.evaluate(
        "Object.defineProperty(document, 'hidden', {value: true, configurable: true})"
    )
    list_page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    list_page.create_plants({"id": 40, "name": "Meanwhile"})
    list_page.evaluate("delete document.hidden")
    list_page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    list_page.assert_count("4 plants")
    assert len([url for url in requests if "include=" in url]) == 1


def test_the_page_returns_to_the_sign_in_when_its_token_expires(driver: PageDriver) -> None:
    expires_at = round(time.time() * 1000) + 3_000
    driver.sign_in(driver.service.make_token(driver.store, expires_at=expires_at))
    driver.assert_shows("Your token has expired", "#sign-in-reason")
    expect(driver["#app"]).to_be_hidden()
