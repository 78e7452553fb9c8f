"""The tab's token: kept while the service fails, forgotten at sign-out, or with fewer rights."""

import re
from functools import partial

from playwright.sync_api import expect

from plantstore.core.model import Role
from tests.features.page.browser import OpenPage
from tests.features.page.page_driver import PageDriver
from tests.features.page.states.setup import abort_requests, respond_with_error
from tests.http.blocking import fill_store
from tests.service import Service

NO_STORAGE = """for (const name of ["sessionStorage", "localStorage"])
    Object.defineProperty(window, name, {
        get() { throw new DOMException("denied", "SecurityError"); },
    });"""


def test_a_reload_while_the_service_fails_keeps_the_token(driver: PageDriver) -> None:
    driver.sign_in()
    for fail in (partial(respond_with_error, number=50302, message="away"), abort_requests):
        fail(driver, "**/me")
        driver.page.reload()
        expect(driver["#sign-in-reason"]).to_be_visible()
        expect(driver["#sign-in-reason"]).not_to_be_empty()
        expect(driver["#token"]).to_have_value(driver.owner)
        expect(driver["#token"]).to_be_focused()
        assert driver.evaluate("sessionStorage['plantstore/token']") == driver.owner
        driver.page.unroute("**/me")
        driver.page.keyboard.press("Enter")  # unless the page has already retried
        expect(driver["#app"]).to_be_visible()


def test_signing_out_during_sign_in_removes_the_token(driver: PageDriver) -> None:
    driver.sign_in()
    held = driver.hold("**/me")
    driver.page.reload()
    driver.wait_until(lambda: held.routes)
    driver.sign_out()
    driver.settle()
    expect(driver["#token"]).to_have_value("")
    expect(driver["#sign-in-reason"]).to_be_hidden()
    assert driver.evaluate("sessionStorage.length") == 0


def test_the_page_works_in_a_browser_that_denies_storage(open_page: OpenPage, owner: str) -> None:
    driver = open_page(shared=False)
    driver.page.add_init_script(NO_STORAGE)
    driver.page.goto(driver.service.origin)
    driver.submit_token(owner)
    expect(driver["#app"]).to_be_visible()
    driver.add_plant("Fern")
    driver.assert_count("1 plant")
    driver.sign_out()


def test_a_bulk_delete_fails_after_the_editor_becomes_a_reader(driver: PageDriver) -> None:
    fill_store(driver.service, driver.store, 200)
    driver.sign_in(driver.service.make_token(driver.store, "eve", role=Role.EDITOR))
    driver.assert_count("200 plants")
    driver["#grid"].press("Control+a")
    driver["#grid"].press("Delete")
    driver.service.set_role(driver.store, "eve", Role.READER)
    driver["#ask-yes"].click()
    expect(driver["#role"]).to_have_text("reader")
    expect(driver["#message"]).to_contain_text(re.compile("Not saved|reader"))
    driver.settle()
    driver.assert_count("200 plants")


def test_the_page_reports_no_access_after_its_store_is_deleted(
    driver: PageDriver, service: Service, store: str
) -> None:
    user, second = f"owner-of-{store}", f"{store}-second"
    token = service.make_token(store, user, all_stores=True)
    service.make_token(second, user)
    driver.create_plants({"id": 1, "name": "Fern"}, token=token)
    driver.sign_in(token)
    driver["#stores"].select_option(second)
    expect(driver["#state-empty"]).to_be_visible()
    with service.administration() as administration:
        administration.delete_store(second)
    driver.refocus()
    driver.assert_shows(f"You have no access to {second}.", "#state-barred")
    driver["#barred-open"].click()
    driver.assert_shows("Fern", "#rows")
