"""Behind a proxy that adds a path prefix: the pages work, and forwarded headers change nothing."""

import re
from collections.abc import Iterator
from copy import copy

import httpx
import pytest
from playwright.sync_api import expect

from tests.deploy.proxies import format_nginx, run_proxy
from tests.features.page.browser import OpenPage
from tests.features.reference.reference import send, try_out
from tests.http.blocking import fill_store
from tests.postgres.server import free_port
from tests.service import Service

CONFIG = """server {{
    listen 127.0.0.1:{port};
    location /api/plants/ {{ proxy_pass {origin}/; }}
    location / {{ return 404; }}
}}"""
FORWARDED_HEADERS = {
    "Host": "elsewhere.example",
    "X-Forwarded-Host": "elsewhere.example",
    "X-Forwarded-Proto": "https",
    "X-Forwarded-Prefix": "/elsewhere",
    "Forwarded": "host=elsewhere.example;proto=https",
}
PATHS = ("/", "/docs", "/openapi.json", "/openapi.yaml", "/plants?limit=1", "/me")
VARYING_HEADERS = ("date", "x-request-id")


@pytest.fixture(scope="module")
def proxied(service: Service, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """The service, reached through nginx under a path prefix; other paths return 404."""
    folder, port = tmp_path_factory.mktemp("nginx"), free_port()
    config = format_nginx(CONFIG.format(port=port, origin=service.origin))
    (folder / "nginx.conf").write_text(config)
    command = ["nginx", "-p", str(folder), "-c", "nginx.conf"]
    with run_proxy(command, f"http://127.0.0.1:{port}/api/plants", folder) as origin:
        running = copy(service)
        running.origin = origin
        yield running


def test_the_page_works_under_a_prefix_and_stores_its_token_for_it(
    open_page: OpenPage, proxied: Service, store: str, owner: str
) -> None:
    fill_store(proxied, store, 1500)
    driver = open_page(proxied).open()
    driver.submit_token(owner)
    driver.assert_count("1,500 plants")
    keys = driver.evaluate("Object.keys(sessionStorage)")
    assert keys
    assert all(key.startswith("plantstore/api/plants/") for key in keys)
    driver.add_plant("Fern", "herb")
    driver.assert_count("1,501 plants")
    driver["#find"].fill("Fern")
    driver["#rows .remove"].click()
    driver.assert_shows("Deleted Fern", "#message")
    driver.page.reload()  # which keeps the search
    driver.assert_count("0 of 1,500 plants")


def test_the_page_and_the_reference_link_to_each_other_under_a_prefix(
    open_page: OpenPage, proxied: Service, owner: str
) -> None:
    driver = open_page(proxied).sign_in(owner)

    def follow(name: str, path: str) -> None:
        driver.page.get_by_role("link", name=name, exact=True).click()
        address = re.escape(proxied.origin + path)
        expect(driver.page).to_have_url(re.compile(f"{address}(#store=.*)?$"))

    driver["#more-open"].click()
    follow("API reference", "/docs")
    expect(driver["#session"]).to_contain_text("Signed in as")
    expect(driver["#create_plant .request"]).to_contain_text(f"{proxied.origin}/plants")
    send(try_out(driver, "create_plant"), "200 OK")
    expect(send(try_out(driver, "list_plants"), "200 OK")).to_contain_text("Basil")
    follow("Plant Store", "/")
    driver.assert_count("1 plant")


@pytest.mark.parametrize("path", PATHS)
def test_forwarded_headers_do_not_change_responses(
    service: Service, store: str, owner: str, path: str
) -> None:
    fill_store(service, store, 2)
    with service.client(owner) as client:
        plain, forwarded = client.get(path), client.get(path, headers=FORWARDED_HEADERS)
    assert plain.status_code == 200
    assert constant_part(plain) == constant_part(forwarded)


def constant_part(response: httpx.Response) -> tuple[bytes, list[tuple[str, str]]]:
    headers = [pair for pair in response.headers.items() if pair[0] not in VARYING_HEADERS]
    return response.content, headers
