"""A list that fails to load, in whole or in part, or that the token's scopes do not allow."""

from collections.abc import Iterator

from playwright.sync_api import expect

from plantstore.core.model import Scope
from tests.features.page.page_driver import PageDriver
from tests.features.page.states.setup import abort_requests, flow, respond_with_error
from tests.http.blocking import fill_store


@flow
def trouble(driver: PageDriver) -> Iterator[str]:
    fill_store(driver.service, driver.store, 6000)
    message = "the database is not available: try again soon"
    respond_with_error(driver, "**/plants?*", 50302, message)
    driver.sign_in()
    expect(driver["#state-error"]).to_be_visible()
    yield "failed"
    driver.page.unroute("**/plants?*")
    abort_requests(driver, "**/plants?*after=*", "**/livez")
    driver["#retry"].click()
    expect(driver["#state-error.partial"]).to_be_visible()
    driver["#retry"].scroll_into_view_if_needed()
    yield "broken_off"
    scopes = frozenset({Scope.CREATE})
    user = f"owner-of-{driver.store}"
    driver.sign_in(driver.service.make_token(driver.store, user, scopes=scopes))
    expect(driver["#state-forbidden"]).to_be_visible()
    yield "not_listed"
