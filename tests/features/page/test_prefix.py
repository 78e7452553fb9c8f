"""Behind a proxy, below any path: the pages work, and no header leads them astray."""

import re
from collections.abc import Iterator
from copy import copy

import httpx
import pytest
from playwright.sync_api import expect

from tests.deploy.proxies import NGINX, run_proxy
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
MISLEADING = {
    "Host": "elsewhere.example",
    "X-Forwarded-Host": "elsewhere.example",
    "X-Forwarded-Proto": "https",
    "X-Forwarded-Prefix": "/elsewhere",
    "Forwarded": "host=elsewhere.example;proto=https",
}
PATHS = ("/", "/docs", "/openapi.json", "/openapi.yaml", "/plants?limit=1", "/me")
OF_ONE_RESPONSE = ("date", "x-request-id")


@pytest.fixture(scope="module")
def proxied(service: Service, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """The service as it is reached through nginx: below a prefix, and nowhere else."""
    folder, port = tmp_path_factory.mktemp("nginx"), free_port()
    config = NGINX.format(config=CONFIG.format(port=port, origin=service.origin))
    (folder / "nginx.conf").write_text(config)
    command = ["nginx", "-p", str(folder), "-c", "nginx.conf"]
    with run_proxy(command, f"http://127.0.0.1:{port}/api/plants", folder) as origin:
        running = copy(service)
        running.origin = origin
        yield running


def test_plants_are_listed_added_and_deleted_with_a_token_of_this_path(
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


def test_the_pages_lead_to_each_other_and_the_interface_is_tried_out(
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
def test_no_header_of_a_proxy_changes_a_response(
    service: Service, store: str, owner: str, path: str
) -> None:
    fill_store(service, store, 2)
    with service.client(owner) as client:
        plain, misled = client.get(path), client.get(path, headers=MISLEADING)
    assert plain.status_code == 200
    assert own_part(plain) == own_part(misled)


def own_part(response: httpx.Response) -> tuple[bytes, list[tuple[str, str]]]:
    headers = [pair for pair in response.headers.items() if pair[0] not in OF_ONE_RESPONSE]
    return response.content, headers
