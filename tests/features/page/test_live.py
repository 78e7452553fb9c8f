"""What others do appears by itself; what one does oneself never loads the list again."""

import time

import pytest
from playwright.sync_api import Route, expect

from tests.features.page.page_driver import PageDriver
from tests.http.blocking import fill_store
from tests.service import JSON


@pytest.fixture
def opened(driver: PageDriver) -> PageDriver:
    driver.create_plants(*({"id": number, "name": f"P{number}"} for number in (10, 20, 30)))
    driver.sign_in().assert_count("3 plants")
    return driver


def test_what_others_do_appears(opened: PageDriver) -> None:
    asked = opened.record_requests("GET")
    opened.create_plants({"id": 15, "name": "New", "tag": "herb"})
    opened.assert_count("4 plants")
    opened.assert_shows("herb", "#rows")
    with opened.service.client(opened.owner) as client:
        client.put("/plants/20", json={"name": "Renamed"}, headers=JSON).raise_for_status()
        client.delete("/plants/30").raise_for_status()
    opened.assert_count("3 plants")
    assert opened.names() == ["P10", "New", "Renamed"]
    assert asked == []


def test_ones_own_writes_read_one_plant_at_most(driver: PageDriver) -> None:
    fill_store(driver.service, driver.store, 3000)
    driver.sign_in().assert_count("3,000 plants")
    asked = driver.record_requests("GET")
    driver.add_plant("Fern")
    driver["#rows .remove"].first.click()
    driver.assert_shows("Deleted", "#message")
    driver.undo()
    driver.assert_shows("Restored", "#message")
    driver.refocus()
    driver.assert_count("3,001 plants")
    driver.settle()
    assert asked == []
    driver["#rows .name"].nth(1).dblclick()
    driver.type("Fern\n")
    driver.assert_shows("Changed", "#message")
    driver.refocus()
    driver.settle()
    assert [url.rpartition("/")[0].endswith("/plants") for url in asked] == [True]


def test_a_stream_that_ends_is_resumed_without_a_gap(driver: PageDriver) -> None:
    def cut(route: Route) -> None:
        message = "retry: 1\nid: 1\n\n"
        route.fulfill(status=200, body=message, content_type="text/event-stream")

    driver.create_plants({"id": 1, "name": "First"})
    driver.route("**/events", cut)
    driver.sign_in().assert_count("1 plant")
    driver.create_plants({"id": 2, "name": "Missed"})
    driver.page.unroute("**/events")
    driver.assert_count("2 plants")


def test_without_a_stream_the_store_is_looked_at(driver: PageDriver) -> None:
    driver.create_plants({"id": 1, "name": "First"})
    driver.install_clock()
    driver.mute().sign_in()
    driver.page.clock.fast_forward(2_000)
    driver.assert_count("1 plant")
    driver.create_plants({"id": 2, "name": "New"})
    driver.page.clock.fast_forward(20_000)
    driver.page.clock.fast_forward(2_000)
    driver.assert_count("2 plants")


def test_a_history_that_is_gone_loads_the_list_again(opened: PageDriver) -> None:
    opened.route(
        "**/events",
        lambda route: route.fulfill(
            status=410, body='{"error": 41001, "message": "gone"}', content_type="application/json"
        ),
        times=1,
    )
    asked = opened.record_requests("GET")
    opened.evaluate("Object.defineProperty(document, 'hidden', {value: true, configurable: true})")
    opened.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    opened.create_plants({"id": 40, "name": "Meanwhile"})
    opened.evaluate("delete document.hidden")
    opened.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    opened.assert_count("4 plants")
    assert len([url for url in asked if "include=" in url]) == 1


def test_a_token_that_expires_leads_to_the_sign_in(driver: PageDriver) -> None:
    expires_at = round(time.time() * 1000) + 3_000
    driver.sign_in(driver.service.make_token(driver.store, expires_at=expires_at))
    driver.assert_shows("Your token has expired", "#sign-in-reason")
    expect(driver["#app"]).to_be_hidden()
