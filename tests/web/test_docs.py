"""The interface to read and to try out, and the error numbers."""

import re

from playwright.sync_api import expect

from tests.service import Service
from tests.web.visitor import Visit, plant

METHODS = {"get", "head", "post", "delete"}


def test_the_interface_is_read_and_tried_out(visit: Visit, shop: Service, owner: str) -> None:
    plant(shop, owner, {"id": 1, "name": "Fern"})
    visitor = visit().open("/docs")
    operation = visitor["#operations-plants-list_plants"]
    expect(operation).to_be_visible(timeout=30_000)
    visitor.page.get_by_role("button", name="Authorize").click()
    visitor[".auth-container input"].fill(owner)
    visitor[".auth-btn-wrapper .authorize"].click()
    visitor[".auth-btn-wrapper .btn-done"].click()
    operation.get_by_role("button", name=re.compile("List plants")).click()
    operation.get_by_role("button", name="Try it out").click()
    for placeholder in ("after", "tag", "If-None-Match"):
        operation.get_by_placeholder(placeholder).fill("")
    operation.get_by_role("button", name="Execute").click()
    answer = operation.locator(".live-responses-table")
    expect(answer.locator("tbody .response-col_status").first).to_contain_text("200")
    expect(answer).to_contain_text('"Fern"')
    expect(operation.locator(".request-url")).to_contain_text(f"{shop.origin}/plants")


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
