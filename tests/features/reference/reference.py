"""Drives the reference at ``/docs`` for tests."""

from playwright.sync_api import Locator, expect

from tests.features.page.page_driver import PageDriver


def open_reference(driver: PageDriver, token: str = "") -> None:
    """Open the reference, signed in if a token is given."""
    if token:
        driver.open_with_token(token, "/docs")
        expect(driver["#session"]).to_contain_text("Signed in as")
    else:
        driver.open("/docs")


def try_out(driver: PageDriver, operation_id: str) -> Locator:
    """Open the form of an operation, with the default values of its fields."""
    operation = driver[f"#{operation_id}"]
    operation.get_by_role("button", name="Try it").click()
    return operation.locator("form")


def send(form: Locator, status: str) -> Locator:
    """Send the request, check the response's status, and return the element of its body."""
    form.get_by_role("button", name="Send").click()
    expect(form.get_by_role("status")).to_contain_text(status)
    return form.locator(".result pre").last
