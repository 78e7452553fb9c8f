"""Behind a proxy, below any path: the pages work, and no header leads them astray."""

from collections.abc import Iterator

import httpx
import pytest
from playwright.sync_api import expect

from tests.http.stalls import fill_store
from tests.service import Service
from tests.web.nginx import nginx
from tests.web.reference import authorize, execute, open_reference, try_out
from tests.web.visitor import Visit

MISLEADING = {
    "Host": "elsewhere.example",
    "X-Forwarded-Host": "elsewhere.example",
    "X-Forwarded-Proto": "https",
    "X-Forwarded-Prefix": "/elsewhere",
    "Forwarded": "host=elsewhere.example;proto=https",
}
PATHS = ("/", "/docs", "/docs/errors", "/openapi.json", "/openapi.yaml", "/plants?limit=1", "/me")
OF_ONE_ANSWER = ("date", "x-request-id")


@pytest.fixture(scope="module")
def proxied(shop: Service, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """The service below a prefix."""
    with nginx(shop, tmp_path_factory.mktemp("nginx")) as running:
        yield running


def test_plants_are_listed_added_and_deleted(
    visit: Visit, proxied: Service, store: str, owner: str
) -> None:
    fill_store(proxied, store, 1500)
    visitor = visit(proxied).sign_in(owner)
    visitor.counts("1,500 plants")
    visitor.adds("Fern", "herb")
    visitor.counts("1,501 plants")
    visitor["#find"].fill("Fern")
    visitor["#rows .remove"].click()
    visitor.sees("Deleted Fern", "#toasts")
    visitor.page.reload()
    visitor.counts("1,500 plants")


def test_the_interface_is_tried_out(visit: Visit, proxied: Service, owner: str) -> None:
    visitor = visit(proxied)
    open_reference(visitor)
    authorize(visitor, owner)
    creating = try_out(visitor, "create_plant")
    expect(execute(visitor, creating)).to_contain_text("200")
    expect(creating.locator(".request-url")).to_contain_text(f"{proxied.origin}/plants")


def test_the_pages_lead_to_each_other(visit: Visit, proxied: Service) -> None:
    visitor = visit(proxied).open()
    for name, path in (
        ("The interface", "/docs"),
        ("Error numbers", "/docs/errors"),
        ("The interface", "/docs"),
        ("Plant Store", "/"),
        ("Error numbers", "/docs/errors"),
        ("Plant Store", "/"),
    ):
        visitor.page.get_by_role("link", name=name, exact=True).click()
        expect(visitor.page).to_have_url(proxied.origin + path)
    expect(visitor["#token"]).to_be_visible()


def test_two_services_below_one_origin_keep_each_its_token(
    visit: Visit, proxied: Service, owner: str
) -> None:
    visitor = visit(proxied).sign_in(owner)
    keys = visitor.stays("Object.keys(sessionStorage)")
    assert keys
    assert all(key.startswith("plantstore/api/plants/") for key in keys)


@pytest.mark.parametrize("path", PATHS)
def test_no_header_of_a_proxy_changes_an_answer(
    shop: Service, store: str, owner: str, path: str
) -> None:
    fill_store(shop, store, 2)
    with shop.client(owner) as client:
        plain, misled = client.get(path), client.get(path, headers=MISLEADING)
    assert plain.status_code == 200
    assert own_part(plain) == own_part(misled)


def own_part(answer: httpx.Response) -> tuple[bytes, list[tuple[str, str]]]:
    headers = [pair for pair in answer.headers.items() if pair[0] not in OF_ONE_ANSWER]
    return answer.content, headers
