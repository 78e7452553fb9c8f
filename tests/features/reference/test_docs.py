"""The reference shows the whole interface, and its forms send requests."""

import re
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from playwright.sync_api import expect

from plantstore.http.errors import TABLE
from tests.features.page.browser import OpenPage
from tests.features.page.page_driver import PageDriver
from tests.features.page.test_states import overflow
from tests.features.reference.reference import open_reference, send, try_out
from tests.service import Service

IDS = "[...document.querySelectorAll('[id]')].map((element) => element.id)"
OPERATIONS = """Object.fromEntries([...document.querySelectorAll(".operation")]
    .filter((element) => element.checkVisibility())
    .map((element) => [element.id, element.textContent]))"""
CUT_OFF = """[...document.querySelectorAll("main button")].filter(
    (button) => button.getBoundingClientRect().right > innerWidth).length"""
SHOWN = """[...document.querySelectorAll("#list_plants .request pre")].filter(
    (element) => element.checkVisibility())"""


@pytest.fixture
def anonymous(service: Service) -> Iterator[httpx.Client]:
    with service.client(None) as client:
        yield client


@pytest.fixture
def document(anonymous: httpx.Client) -> Any:  # noqa: ANN401 - JSON
    return anonymous.get("/openapi.json").json()


def test_the_whole_interface_is_shown_in_the_chosen_language(
    driver: PageDriver, document: dict[str, Any]
) -> None:
    open_reference(driver)
    ids = driver.evaluate(IDS)
    assert len(set(ids)) == len(ids)
    operations = driver.evaluate(OPERATIONS)
    for path in document["paths"].values():
        for method, operation in path.items():
            if method == "parameters":
                continue
            text = operations[operation["operationId"]]
            parameters = [*path.get("parameters", []), *operation.get("parameters", [])]
            keys = [parameter["$ref"].rpartition("/")[2] for parameter in parameters]
            assert all(document["components"]["parameters"][key]["name"] in text for key in keys)
            assert all(status in text for status in operation["responses"])
    schemas = {f"schema-{name}" for name in document["components"]["schemas"]}
    errors = {f"error-{row.number}" for row in TABLE}
    assert schemas | errors <= set(ids)
    driver.page.get_by_label("Python").check()
    driver.page.reload()
    assert driver.evaluate(f"{SHOWN}.map((element) => element.className)") == ["python"]
    assert f'"{driver.service.origin}/plants"' in driver.evaluate(f"{SHOWN}[0].textContent")


def test_all_links_have_targets(anonymous: httpx.Client) -> None:
    page = anonymous.get("/docs").text
    ids = set(re.findall(r'\bid="([^"]+)"', page))
    links = set(re.findall(r'<a [^>]*href="([^"]+)"', page))
    assert {link[1:] for link in links if link.startswith("#")} <= ids
    for link in links:
        assert link.startswith("#") or anonymous.get(f"/{link}").status_code == 200, link


def test_forms_send_the_token_of_the_session(driver: PageDriver, owner: str) -> None:
    open_reference(driver, owner)
    creating = try_out(driver, "create_plant")
    plant = '{"id": 9007199254740993, "name": "Fern", "tag": "a&b=c/ü"}'
    creating.get_by_label("Body").fill(plant)
    expect(send(creating, "200 OK")).to_contain_text('{"name": "Fern"')
    listing = try_out(driver, "list_plants")
    listing.get_by_label("include").fill("id")
    listing.get_by_label("tag").fill("a&b=c/ü")
    expect(send(listing, "200 OK")).to_have_text(f"[\n  {plant}\n]")
    headers = listing.locator("details")
    headers.get_by_text("headers").click()
    expect(headers).to_contain_text("etag: ")
    reading = try_out(driver, "get_plant")
    reading.get_by_label("id").fill("../plants?x=")
    expect(send(reading, "400")).to_contain_text("40009")


def test_search_finds_operations_with_all_words(driver: PageDriver) -> None:
    open_reference(driver)
    driver.page.keyboard.press("/")
    driver.page.keyboard.type("idempotency-key create", delay=30)
    links = driver["#contents li:visible a"]
    expect(links.first).to_contain_text("Create a plant")
    expect(links.filter(has_text="Delete a plant")).to_have_count(0)
    driver.page.keyboard.press("Enter")
    expect(driver["#create_plant h3"]).to_be_in_viewport()


def test_without_a_session_all_forms_use_a_typed_token(driver: PageDriver, owner: str) -> None:
    open_reference(driver)
    listing, creating = try_out(driver, "list_plants"), try_out(driver, "create_plant")
    expect(send(listing, "401")).to_contain_text("40101")
    listing.get_by_label("Token").fill(owner)
    send(listing, "200 OK")
    creating.get_by_label("Body").fill("{}")
    expect(send(creating, "400")).to_contain_text("40002")
    creating.get_by_role("link", name="What to do about 40002").click()
    expect(driver["#error-40002"]).to_be_in_viewport()


def test_a_stream_is_shown_live_until_it_is_stopped(driver: PageDriver, owner: str) -> None:
    open_reference(driver, owner)
    listening = try_out(driver, "list_events")
    listening.get_by_label("Accept").select_option("text/event-stream")
    events = send(listening, "200 OK")
    expect(events).to_contain_text("id: ")
    driver.create_plants({"id": 7, "name": "Fern"})
    expect(events).to_contain_text("plant.created")
    listening.get_by_role("button", name="Stop").click()
    expect(listening.get_by_role("status")).to_have_text("Stopped.")


def test_the_reference_is_readable_without_javascript(open_page: OpenPage) -> None:
    driver = open_page(java_script_enabled=False, shared=False)
    driver.open("/docs#error-40002")
    expect(driver["#error-40002"]).to_be_in_viewport()
    for name, text in (("curl", "curl "), ("Python", "httpx"), ("JavaScript", "await fetch")):
        driver.page.get_by_label(name).check()
        expect(driver["#list_plants .request pre:visible"]).to_have_count(1)
        expect(driver["#list_plants .request pre:visible"]).to_contain_text(text)
    expect(driver["form"]).to_have_count(0)


def test_nothing_is_cut_off_and_a_chosen_link_closes_the_contents(
    driver: PageDriver, owner: str
) -> None:
    open_reference(driver, owner)
    send(try_out(driver, "create_plant"), "200 OK")
    driver.evaluate("document.querySelectorAll('details').forEach((item) => { item.open = true; })")
    for width in (1440, 1024, 360):
        driver.page.set_viewport_size({"width": width, "height": 800})
        assert overflow(driver) <= 0
        assert driver.evaluate(CUT_OFF) == 0
    driver.page.get_by_role("button", name="Contents").click()
    driver["#contents"].get_by_role("link", name="Schemas").click()
    expect(driver["#schemas h2"]).to_be_in_viewport()
    expect(driver["#contents"]).to_be_hidden()
