"""When things go wrong: revoked, restarted, offline; and what a role does not allow."""

from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import expect

from plantstore.core.model import Role, Scope
from tests.features.page.browser import OpenPage
from tests.features.page.page_driver import PageDriver
from tests.http.blocking import fill_store
from tests.service import Service

FAILED = '{"error": 50001, "message": "the service failed"}'
REFUSED = "The token is not valid: ask the store’s owner for a new link."


def test_a_revoked_token_leads_to_the_sign_in_and_nothing_is_lost(driver: PageDriver) -> None:
    driver.create_plants({"id": 1, "name": "Fern"})
    driver.mute().sign_in()  # or the end of the stream may tell before the plant is typed
    driver.assert_count("1 plant")
    driver.service.revoke(driver.owner)
    driver.submit_plant("Half typed", "herb", "77")
    driver.assert_shows(REFUSED, "#sign-in-reason")
    expect(driver["#app"]).to_be_hidden()
    assert driver.evaluate("sessionStorage['plantstore/token']") is None
    other = driver.service.make_token(driver.store, f"owner-of-{driver.store}")
    driver["#token"].fill(other)
    driver["#token"].press("Enter")
    expect(driver["#app"]).to_be_visible()
    driver.assert_shows("Added Half typed (77)", "#message")
    assert len(driver.list_plants(other)) == 2


def test_too_many_requests_and_a_restart_are_waited_for(
    open_page: OpenPage, tmp_path: Path
) -> None:
    with Service(tmp_path, settings={"rate_limit": "40/second"}) as own:
        token = own.make_token("nursery")
        fill_store(own, "nursery", 100)
        driver = open_page(own, shared=False).sign_in(token)
        driver.assert_count("100 plants")
        driver["#grid"].press("Control+a")
        driver["#grid"].press("Delete")
        driver["#ask-yes"].click()
        expect(driver["#message"]).to_contain_text("Deleted 100 plants", timeout=60_000)
        port = own.origin.rpartition(":")[2]
        own.stop()
        driver.submit_plant("Typed meanwhile")
        driver.assert_shows("Offline.", "#offline")
        expect(driver["#rows .row.busy"]).to_contain_text("Typed meanwhile")
        own.start_again_on(port)
        expect(driver["#offline"]).to_be_hidden()
        driver.assert_shows("Added Typed meanwhile (1)", "#message")


def test_what_nobody_asked_for_is_not_told_as_missing(driver: PageDriver) -> None:
    held = driver.hold("**/rest.js")
    driver.sign_in()
    driver.wait_until(lambda: held.routes)
    held.routes[0].abort()
    driver.settle()
    expect(driver["#message"]).to_be_hidden()


def test_a_list_that_breaks_off_goes_on_when_the_server_is_back(driver: PageDriver) -> None:
    fill_store(driver.service, driver.store, 6000)
    driver.route("**/plants?*after=*", lambda route: route.abort())
    driver.sign_in()
    driver.assert_shows("Only part of the list was loaded", "#state-error")
    driver.assert_shows("000001", "#rows")
    driver.page.unroute("**/plants?*after=*")
    driver.assert_count("6,000 plants")
    expect(driver["#state-error"]).to_be_hidden()


def test_a_first_request_too_many_is_waited_for(driver: PageDriver) -> None:
    driver.create_plants({"id": 1, "name": "Fern"})
    body = '{"error": 42901, "message": "too many requests"}'
    driver.route(
        "**/plants?limit=0",
        lambda route: route.fulfill(status=429, body=body, content_type="application/json"),
        times=1,
    )
    driver.sign_in()
    driver.assert_count("1 plant")


def test_a_reader_is_offered_what_a_reader_may(driver: PageDriver) -> None:
    driver.sign_in(driver.service.make_token(driver.store, "eve", role=Role.READER))
    expect(driver["#empty-read"]).to_be_visible()
    expect(driver["#state-empty .if-create"]).to_be_hidden()
    driver.create_plants({"id": 1, "name": "Fern", "tag": "herb"})
    driver.assert_count("1 plant")
    driver.assert_shows("herb", "#rows")
    for absent in ("#add", "#import-open", "#rows .remove", "#rows .check input"):
        expect(driver[absent]).to_be_hidden()
    driver["#grid"].focus()
    for key in ("Space", "Delete", "Control+a"):
        driver["#grid"].press(key)
    opens: tuple[Callable[[], None], ...] = (
        driver["#rows .name"].dblclick,
        lambda: driver["#grid"].press("Enter"),
    )
    for open_plant in opens:
        open_plant()
        expect(driver[".cell-input"]).to_have_count(0)
    expect(driver["#selection"]).to_be_hidden()
    assert len(driver.list_plants()) == 1
    assert driver.export()[1] == "id,name,tag\r\n1,Fern,herb\r\n"


def test_a_token_that_may_only_create_adds_without_a_list(driver: PageDriver) -> None:
    token = driver.service.make_token(
        driver.store, f"owner-of-{driver.store}", scopes=frozenset({Scope.CREATE})
    )
    driver.sign_in(token)
    expect(driver["#state-forbidden"]).to_be_visible()
    driver.add_plant("Fern", plant_id="5")
    driver.add_plant("Aloe", plant_id="6")
    assert [one["id"] for one in driver.list_plants()] == [5, 6]
