"""What the service, the way to it or a token does not let happen."""

from playwright.sync_api import expect

from plantstore.model import Scope
from tests.http.blocking import fill_store
from tests.web.page_driver import PageDriver
from tests.web.states.setup import abort_requests, browse, respond_with_error, state, unfold


@state
def failed(driver: PageDriver) -> None:
    respond_with_error(
        driver.open(),
        "**/plants?*",
        50302,
        "the database is not available: try again soon",
    )
    driver.sign_in()
    expect(driver["#state-error"]).to_be_visible()


@state
def broken_off(driver: PageDriver) -> None:
    fill_store(driver.service, driver.store, 3000)
    abort_requests(driver, "**/plants?*after=*", "**/livez")
    driver.sign_in()
    expect(driver["#state-error"]).to_be_visible()
    driver["#retry"].scroll_into_view_if_needed()


@state
def not_listed(driver: PageDriver) -> None:
    user = f"owner-of-{driver.store}"
    scopes = frozenset({Scope.CREATE})
    driver.sign_in(driver.service.make_token(driver.store, user, scopes=scopes))
    expect(driver["#state-forbidden"]).to_be_visible()


@state
def adding_offline(driver: PageDriver) -> None:
    browse(driver)
    unfold(driver, "#add-form")
    abort_requests(driver, "**/plants", "**/livez")
    driver.submit_plant("Another", "herb")
    expect(driver["#offline"]).to_be_visible()


@state
def delete_failed(driver: PageDriver) -> None:
    browse(driver)
    respond_with_error(driver, "**/plants/*", 50001, "the service failed: its log has the cause")
    driver["#rows .check"].first.click()
    driver["#delete-selected"].click()
    driver.assert_shows("was not deleted", "#toasts .failed")
