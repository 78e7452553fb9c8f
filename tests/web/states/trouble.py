"""What the service, the way to it or a token does not let happen."""

from playwright.sync_api import expect

from plantstore.model import Scope
from tests.http.blocking import fill_store
from tests.web.states.setup import StateSetup, abort_requests, respond_with_error, state, unfold


@state
def failed(setup: StateSetup) -> None:
    respond_with_error(
        setup.driver.open(),
        "**/plants?*",
        50302,
        "the database is not available: try again soon",
    )
    setup.driver.sign_in(setup.token)
    expect(setup.driver["#state-error"]).to_be_visible()


@state
def broken_off(setup: StateSetup) -> None:
    fill_store(setup.service, setup.store, 3000)
    abort_requests(setup.driver, "**/plants?*after=*", "**/livez")
    setup.driver.sign_in(setup.token)
    expect(setup.driver["#state-error"]).to_be_visible()
    setup.driver["#retry"].scroll_into_view_if_needed()


@state
def not_listed(setup: StateSetup) -> None:
    user = f"owner-of-{setup.store}"
    scopes = frozenset({Scope.CREATE})
    setup.driver.sign_in(setup.service.make_token(setup.store, user, scopes=scopes))
    expect(setup.driver["#state-forbidden"]).to_be_visible()


@state
def add_failed(setup: StateSetup) -> None:
    driver = setup.browse()
    unfold(driver, "#add-form")
    abort_requests(driver, "**/plants", "**/livez")
    driver.submit_plant("Another", "herb")
    expect(driver["#add-reason"]).to_be_visible()
    expect(driver["#offline"]).to_be_visible()


@state
def delete_failed(setup: StateSetup) -> None:
    driver = setup.browse()
    respond_with_error(driver, "**/plants/*", 50001, "the service failed: its log has the cause")
    driver["#rows .remove"].first.click()
    driver.assert_shows("was not deleted", "#toasts .failed")
