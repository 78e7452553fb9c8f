"""The reference: all of the interface is there, and can be tried out."""

from typing import Any

import pytest
from playwright.sync_api import expect

from plantstore.http.errors import TABLE
from tests.service import Service
from tests.web.browser import OpenPage
from tests.web.page_driver import PageDriver
from tests.web.reference import open_reference, send, try_out
from tests.web.test_states import assert_no_violations, overflow

IDS = "[...document.querySelectorAll('[id]')].map((one) => one.id)"
LINKS = "[...document.links].map((one) => one.getAttribute('href'))"
CUT_OFF = """[...document.querySelectorAll("main button")].filter(
    (one) => one.getBoundingClientRect().right > innerWidth).length"""
SHOWN = """[...document.querySelectorAll("#list_plants .request pre")].filter(
    (one) => one.checkVisibility())"""


@pytest.fixture
def document(service: Service) -> Any:  # noqa: ANN401 - JSON
    """The interface, as it is published."""
    with service.client(None) as anyone:
        return anyone.get("/openapi.json").json()


def test_each_operation_schema_and_error_is_there_once(
    driver: PageDriver, document: dict[str, Any]
) -> None:
    open_reference(driver)
    ids = driver.evaluate(IDS)
    assert len(set(ids)) == len(ids)
    items = [one for path in document["paths"].values() for one in path.values()]
    operations = {one["operationId"] for one in items if isinstance(one, dict)}
    schemas = {f"schema-{name}" for name in document["components"]["schemas"]}
    errors = {f"error-{row.number}" for row in TABLE}
    assert operations | schemas | errors <= set(ids)
    for operation in operations:
        expect(driver[f"#{operation}"]).to_be_visible()


def test_each_parameter_and_response_is_there(driver: PageDriver, document: dict[str, Any]) -> None:
    open_reference(driver)
    for path in document["paths"].values():
        for method, operation in path.items():
            if method in {"parameters", "head"}:
                continue
            text = driver[f"#{operation['operationId']}"].text_content() or ""
            parameters = [*path.get("parameters", []), *operation.get("parameters", [])]
            names = [one["$ref"].rpartition("/")[2] for one in parameters]
            assert all(document["components"]["parameters"][one]["name"] in text for one in names)
            assert all(status in text for status in operation["responses"])


def test_links_lead_somewhere(driver: PageDriver) -> None:
    open_reference(driver)
    ids, links = set(driver.evaluate(IDS)), set(driver.evaluate(LINKS))
    assert {link[1:] for link in links if link.startswith("#")} <= ids
    with driver.service.client(None) as anyone:
        for link in links:
            if not link.startswith("#"):
                assert anyone.get(f"/{link}").status_code == 200, link


def test_what_is_tried_has_the_token_of_the_session(driver: PageDriver, owner: str) -> None:
    open_reference(driver, owner)
    creating = try_out(driver, "create_plant")
    creating.get_by_label("Body").fill('{"id": 9007199254740993, "name": "Fern"}')
    expect(send(creating, "200 OK")).to_have_text('{"name": "Fern"}')
    assert driver.list_plants() == [{"id": 9007199254740993, "name": "Fern"}]
    listing = try_out(driver, "list_plants")
    listing.get_by_label("include").fill("id")
    expect(send(listing, "200 OK")).to_have_text('[\n  {"id": 9007199254740993, "name": "Fern"}\n]')
    headers = listing.locator("details")
    headers.get_by_text("headers").click()
    expect(headers).to_contain_text("x-total-count: 1")


def test_a_value_may_hold_any_character(driver: PageDriver, owner: str) -> None:
    driver.create_plants({"id": 7, "name": "Fern", "tag": "a&b=c/ü"})
    open_reference(driver, owner)
    listing = try_out(driver, "list_plants")
    listing.get_by_label("tag").fill("a&b=c/ü")
    expect(send(listing, "200 OK")).to_contain_text("Fern")
    reading = try_out(driver, "get_plant_in_store")
    reading.get_by_label("store").fill("../plants?x=")
    expect(send(reading, "404")).to_contain_text("40403")


def test_without_a_session_one_token_is_typed_for_all(driver: PageDriver, owner: str) -> None:
    open_reference(driver)
    listing, creating = try_out(driver, "list_plants"), try_out(driver, "create_plant")
    expect(send(listing, "401")).to_contain_text("40101")
    listing.get_by_label("Token").fill(owner)
    send(listing, "200 OK")
    creating.get_by_label("Body").fill("{}")
    expect(send(creating, "400")).to_contain_text("40002")
    creating.get_by_role("link", name="What to do about 40002").click()
    expect(driver["#error-40002"]).to_be_in_viewport()


def test_a_stream_is_shown_as_it_comes_until_it_is_stopped(driver: PageDriver, owner: str) -> None:
    open_reference(driver, owner)
    listening = try_out(driver, "list_events")
    listening.get_by_label("Accept").select_option("text/event-stream")
    shown = send(listening, "200 OK")
    expect(shown).to_contain_text("id: ")
    driver.create_plants({"id": 7, "name": "Fern"})
    expect(shown).to_contain_text("plant.created")
    listening.get_by_role("button", name="Stop").click()
    expect(listening.get_by_role("status")).to_have_text("Stopped.")


def test_the_language_of_the_examples_is_chosen_once(driver: PageDriver) -> None:
    open_reference(driver)
    driver.page.get_by_label("Python").check()
    driver.page.reload()
    assert driver.evaluate(f"{SHOWN}.map((one) => one.className)") == ["python"]
    assert f'"{driver.service.origin}/plants"' in driver.evaluate(f"{SHOWN}[0].textContent")


def test_it_is_read_without_scripts(open_page: OpenPage) -> None:
    driver = open_page(java_script_enabled=False, shared=False)
    driver.open("/docs#error-40002")
    expect(driver["#error-40002"]).to_be_in_viewport()
    for name, text in (("curl", "curl "), ("Python", "httpx"), ("JavaScript", "await fetch")):
        driver.page.get_by_label(name).check()
        expect(driver["#list_plants .request pre:visible"]).to_have_count(1)
        expect(driver["#list_plants .request pre:visible"]).to_contain_text(text)
    expect(driver["form"]).to_have_count(0)


def test_nothing_is_cut_off_and_the_contents_fold(open_page: OpenPage, owner: str) -> None:
    driver = open_page(reduced_motion="reduce")
    open_reference(driver, owner)
    send(try_out(driver, "create_plant"), "200 OK")
    driver.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    for width in (1440, 1024, 360):
        driver.page.set_viewport_size({"width": width, "height": 800})
        assert overflow(driver) <= 0
        assert driver.evaluate(CUT_OFF) == 0
    driver.page.get_by_role("button", name="Contents").click()
    assert_no_violations(driver, "#contents")
    driver["#contents"].get_by_role("link", name="Schemas").click()
    expect(driver["#schemas h2"]).to_be_in_viewport()
    expect(driver["#contents"]).to_be_hidden()
