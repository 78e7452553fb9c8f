"""The reference at ``/docs`` in somebody's hands."""

from playwright.sync_api import Locator, expect

from tests.web.visitor import Visitor


def open_reference(visitor: Visitor) -> None:
    """Go to it; it takes its time to show itself."""
    visitor.open("/docs")
    expect(visitor["#operations-plants-list_plants"]).to_be_visible(timeout=30_000)


def authorize(visitor: Visitor, token: str) -> None:
    """Paste the token."""
    visitor.page.get_by_role("button", name="Authorize").click()
    visitor[".auth-container input"].fill(token)
    visitor[".auth-btn-wrapper .authorize"].click()
    visitor[".auth-btn-wrapper .btn-done"].click()


def try_out(visitor: Visitor, name: str) -> Locator:
    """Open an operation of the token's own store, with what its fields have from the start."""
    operation = visitor[f"#operations-plants-{name}"]
    operation.locator(".opblock-summary-control").click()
    operation.get_by_role("button", name="Try it out").click()
    return operation


def execute(visitor: Visitor, operation: Locator) -> Locator:
    """Send the request; where its answer is shown."""
    with visitor.page.expect_response("**/plants*"):
        operation.get_by_role("button", name="Execute").click()
    return operation.locator(".live-responses-table tbody").first
