"""The interface to read and to try out, and the error numbers."""

from playwright.sync_api import expect

from tests.web.browser import OpenPage
from tests.web.page_driver import PageDriver
from tests.web.reference import authorize, execute, open_reference, try_out

METHODS = {"get", "head", "post", "delete"}


def test_every_operation_is_there(driver: PageDriver) -> None:
    with driver.service.client(None) as anyone:
        paths = anyone.get("/openapi.json").json()["paths"].values()
    operations = [name for path in paths for name in path if name in METHODS]
    assert operations
    open_reference(driver)
    expect(driver[".opblock"]).to_have_count(len(operations))
    driver.page.set_viewport_size({"width": 320, "height": 800})
    assert driver.evaluate("document.documentElement.scrollWidth") == 320


def test_in_the_dark_nothing_covers_its_buttons_or_moves_it(
    open_page: OpenPage, owner: str
) -> None:
    driver = open_page(color_scheme="dark", permissions=["clipboard-write"])
    open_reference(driver)
    authorize(driver, owner)
    operation = try_out(driver, "list_plants")
    expect(execute(driver, operation)).to_contain_text("200")
    operation.locator(".curl-command button").click()
    operation.locator(".live-responses-table").get_by_role("button", name="Copy").click()
    with driver.page.expect_download():
        operation.get_by_role("button", name="Download").click()
    lock = operation.get_by_role("button", name="authorization button")
    lock.scroll_into_view_if_needed()
    before = driver.evaluate("scrollY")
    assert before > 0
    lock.click()
    expect(driver[".modal-ux"]).to_be_in_viewport()
    assert driver.evaluate("scrollY") == before
