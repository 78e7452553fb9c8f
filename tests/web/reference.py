"""The reference at ``/docs`` in somebody's hands."""

from playwright.sync_api import Locator, expect

from tests.web.page_driver import PageDriver


def open_reference(driver: PageDriver) -> None:
    """Go to it; it takes its time to show itself."""
    driver.open("/docs")
    expect(driver["#operations-plants-list_plants"]).to_be_visible(timeout=30_000)


def authorize(driver: PageDriver, token: str) -> None:
    """Paste the token."""
    driver.page.get_by_role("button", name="Authorize").click()
    driver[".auth-container input"].fill(token)
    driver[".auth-btn-wrapper .authorize"].click()
    driver[".auth-btn-wrapper .btn-done"].click()


def try_out(driver: PageDriver, name: str) -> Locator:
    """Open an operation of the token's own store, with what its fields have from the start."""
    operation = driver[f"#operations-plants-{name}"]
    operation.locator(".opblock-summary-control").click()
    operation.get_by_role("button", name="Try it out").click()
    return operation


def execute(driver: PageDriver, operation: Locator) -> Locator:
    """Send the request; where its response is shown."""
    with driver.page.expect_response("**/plants*"):
        operation.get_by_role("button", name="Execute").click()
    return operation.locator(".live-responses-table tbody").first
