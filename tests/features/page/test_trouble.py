"""Revoked tokens, restarts, rate limits and lost connections; and what roles do not allow."""

from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import expect

from plantstore.core.model import Role, Scope
from tests.features.page.browser import OpenPage
from tests.features.page.page_driver import PageDriver
from tests.http.blocking import fill_store
from tests.service import Service

REFUSED = "The token is not valid: ask the store’s owner for a new link."


def test_a_plant_submitted_with_a_revoked_token_is_added_after_sign_in(driver: PageDriver) -> None:
    driver.create_plants({"id": 1, "name": "Fern"})
    driver.block_streams().sign_in()  # the end of the stream could sign the user out too early
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


def test_a_plant_submitted_during_an_outage_is_added_after_the_restart(
    open_page: OpenPage, tmp_path: Path
) -> None:
    with Service(tmp_path) as service:
        driver = open_page(service, shared=False).sign_in(service.make_token("nursery"))
        expect(driver["#state-empty"]).to_be_visible()
        port = service.origin.rpartition(":")[2]
        service.stop()
        driver.submit_plant("Fern")
        driver.assert_shows("Offline.", "#offline")
        expect(driver["#rows .row.busy"]).to_contain_text("Fern")
        service.start_again_on(port)
        expect(driver["#offline"]).to_be_hidden()
        driver.assert_shows("Added Fern (1)", "#message")


def test_signing_out_during_an_outage_ends_on_the_sign_in_view(
    open_page: OpenPage, tmp_path: Path
) -> None:
    with Service(tmp_path) as service:
        driver = open_page(service, shared=False).sign_in(service.make_token("nursery"))
        driver.open_add()
        driver.add_plant("Secret Fern")
        service.stop()
        driver["#person-open"].click()
        driver["#language"].click()
        driver.assert_shows("Offline.", "#offline")
        expect(driver["#rows"]).to_contain_text("Secret Fern")
        driver.page.keyboard.press("Escape")
        driver.sign_out()
        expect(driver["#offline"]).to_have_text("The server cannot be reached.")
        expect(driver["#token"]).to_be_focused()
        expect(driver["#rows .row"]).to_have_count(0)
        stored = driver.evaluate("JSON.stringify([{...sessionStorage}, {...localStorage}])")
        assert "pst_" not in stored
        assert driver.evaluate("document.querySelectorAll('#app *:focus').length") == 0
        service.start_again_on(service.origin.rpartition(":")[2])
        expect(driver["#offline"]).to_be_hidden()
        expect(driver["#sign-in"]).to_be_visible()


def test_an_interrupted_list_continues_when_the_server_is_back(driver: PageDriver) -> None:
    fill_store(driver.service, driver.store, 6000)
    driver.route("**/plants?*after=*", lambda route: route.abort())
    driver.sign_in()
    driver.assert_shows("Only part of the list was loaded", "#state-error")
    driver.assert_shows("000001", "#rows")
    driver.page.unroute("**/plants?*after=*")
    driver.assert_count("6,000 plants")
    expect(driver["#state-error"]).to_be_hidden()


def test_the_first_read_and_a_write_are_retried_after_429(driver: PageDriver) -> None:
    driver.create_plants({"id": 1, "name": "Fern"})
    body = '{"error": 42901, "message": "too many requests"}'
    for pattern in ("**/plants?limit=0", "**/changes"):
        driver.route(
            pattern,
            lambda route: route.fulfill(status=429, body=body, content_type="application/json"),
            times=1,
        )
    driver.sign_in()
    driver.assert_count("1 plant")
    driver.add_plant("Aloe")
    assert len(driver.list_plants()) == 2


def test_a_reader_can_list_select_and_export_plants_but_not_change_them(driver: PageDriver) -> None:
    driver.sign_in(driver.service.make_token(driver.store, "eve", role=Role.READER))
    expect(driver["#empty-read"]).to_be_visible()
    expect(driver["#state-empty .if-create"]).to_be_hidden()
    driver.create_plants({"id": 1, "name": "Fern", "tag": "herb"})
    driver.assert_count("1 plant")
    driver.assert_shows("herb", "#rows")
    driver["#grid"].press("Control+a")
    driver.assert_shows("1 selected", "#selection")  # for labels, and to export some plants
    absent = ("#add", "#import-open", "#rows .remove", "#retag-open", "#delete-selected", "#retag")
    for selector in absent:
        expect(driver[selector]).to_be_hidden()
    for key in ("Delete", "t"):
        driver["#grid"].press(key)
    driver["#grid"].press("Escape")
    edit_attempts: tuple[Callable[[], None], ...] = (
        driver["#rows .name"].dblclick,
        lambda: driver["#grid"].press("Enter"),
    )
    for try_to_edit in edit_attempts:
        try_to_edit()
        expect(driver[".cell-input"]).to_have_count(0)
    expect(driver["#selection"]).to_be_hidden()
    assert len(driver.list_plants()) == 1
    assert driver.export()[1] == "id,name,tag\r\n1,Fern,herb\r\n"


def test_a_create_only_token_adds_plants_without_seeing_the_list(driver: PageDriver) -> None:
    token = driver.service.make_token(
        driver.store, f"owner-of-{driver.store}", scopes=frozenset({Scope.CREATE})
    )
    driver.sign_in(token)
    expect(driver["#state-forbidden"]).to_be_visible()
    driver.add_plant("Fern", plant_id="5")
    driver.add_plant("Aloe", plant_id="6")
    assert [plant["id"] for plant in driver.list_plants()] == [5, 6]
