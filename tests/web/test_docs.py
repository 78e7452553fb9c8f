"""The interface to read and to try out, and the error numbers."""

from playwright.sync_api import expect

from tests.service import Service
from tests.web.browser import OpenPage
from tests.web.reference import authorize, execute, open_reference, try_out

METHODS = {"get", "head", "post", "delete"}


def test_the_interface_is_tried_out_as_it_stands(
    open_page: OpenPage, service: Service, owner: str
) -> None:
    driver = open_page()
    open_reference(driver)
    authorize(driver, owner)
    creating = try_out(driver, "create_plant")
    expect(execute(driver, creating)).to_contain_text("200")
    expect(creating.locator(".request-url")).to_contain_text(f"{service.origin}/plants")
    creating.get_by_role("textbox").last.fill('{"id": 8, "name": "Fern"}')
    expect(execute(driver, creating)).to_contain_text("200")
    listing = execute(driver, try_out(driver, "list_plants"))
    expect(listing).to_contain_text('"Basil"')
    expect(listing).to_contain_text('"Fern"')


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


def test_an_operation_fits_the_narrowest_window(open_page: OpenPage) -> None:
    driver = open_page(viewport={"width": 320, "height": 800})
    open_reference(driver)
    try_out(driver, "list_plants")
    assert driver.evaluate("document.documentElement.scrollWidth") == 320


def test_every_operation_is_there(open_page: OpenPage, service: Service) -> None:
    with service.client(None) as anyone:
        paths = anyone.get("/openapi.json").json()["paths"].values()
    operations = [name for path in paths for name in path if name in METHODS]
    assert operations
    expect(open_page().open("/docs")[".opblock"]).to_have_count(len(operations))


def test_the_pages_lead_to_each_other(open_page: OpenPage) -> None:
    driver = open_page().open()
    driver.page.get_by_role("link", name="Error numbers").click()
    driver.assert_shows("40003")
    driver.page.get_by_role("link", name="The interface").click()
    expect(driver["#operations-plants-create_plant"]).to_be_visible(timeout=30_000)
    driver.page.get_by_role("link", name="Plant Store", exact=True).click()
    expect(driver["#token"]).to_be_visible()
