"""The interface to read and to try out, and the error numbers."""

from playwright.sync_api import expect

from tests.service import Service
from tests.web.reference import authorize, execute, open_reference, try_out
from tests.web.visitor import Visit

METHODS = {"get", "head", "post", "delete"}


def test_the_interface_is_tried_out_as_it_stands(visit: Visit, shop: Service, owner: str) -> None:
    visitor = visit()
    open_reference(visitor)
    authorize(visitor, owner)
    creating = try_out(visitor, "create_plant")
    expect(execute(visitor, creating)).to_contain_text("200")
    expect(creating.locator(".request-url")).to_contain_text(f"{shop.origin}/plants")
    creating.get_by_role("textbox").last.fill('{"id": 8, "name": "Fern"}')
    expect(execute(visitor, creating)).to_contain_text("200")
    listing = execute(visitor, try_out(visitor, "list_plants"))
    expect(listing).to_contain_text('"Basil"')
    expect(listing).to_contain_text('"Fern"')


def test_in_the_dark_nothing_covers_its_buttons_or_moves_it(visit: Visit, owner: str) -> None:
    visitor = visit(color_scheme="dark", permissions=["clipboard-write"])
    open_reference(visitor)
    authorize(visitor, owner)
    operation = try_out(visitor, "list_plants")
    expect(execute(visitor, operation)).to_contain_text("200")
    operation.locator(".curl-command button").click()
    operation.locator(".live-responses-table").get_by_role("button", name="Copy").click()
    with visitor.page.expect_download():
        operation.get_by_role("button", name="Download").click()
    lock = operation.get_by_role("button", name="authorization button")
    lock.scroll_into_view_if_needed()
    before = visitor.stays("scrollY")
    assert before > 0
    lock.click()
    expect(visitor[".modal-ux"]).to_be_in_viewport()
    assert visitor.stays("scrollY") == before


def test_an_operation_fits_the_narrowest_window(visit: Visit) -> None:
    visitor = visit(viewport={"width": 320, "height": 800})
    open_reference(visitor)
    try_out(visitor, "list_plants")
    assert visitor.stays("document.documentElement.scrollWidth") == 320


def test_every_operation_is_there(visit: Visit, shop: Service) -> None:
    with shop.client(None) as anyone:
        paths = anyone.get("/openapi.json").json()["paths"].values()
    operations = [name for path in paths for name in path if name in METHODS]
    assert operations
    expect(visit().open("/docs")[".opblock"]).to_have_count(len(operations))


def test_the_pages_lead_to_each_other(visit: Visit) -> None:
    visitor = visit().open()
    visitor.page.get_by_role("link", name="Error numbers").click()
    visitor.sees("40003")
    visitor.page.get_by_role("link", name="The interface").click()
    expect(visitor["#operations-plants-create_plant"]).to_be_visible(timeout=30_000)
    visitor.page.get_by_role("link", name="Plant Store", exact=True).click()
    expect(visitor["#token"]).to_be_visible()
