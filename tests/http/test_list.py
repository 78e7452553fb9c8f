"""Lists: all plants ordered by id, or pages of them, whose links lead to all plants."""

import re
from collections.abc import Iterator

import httpx
import pytest

from tests.databases import ON_BOTH
from tests.http.blocking import fill_store
from tests.http.calls import create_plant, list_plants
from tests.service import Service

MANY = 2500
_LINK = re.compile(r'<(\?[^>]+)>; rel="next"')  # the query alone, so it works below any path


@pytest.fixture(scope="module")
def many(service: Service) -> Iterator[httpx.Client]:
    """A client of a store with 2500 plants, of which every second has the tag ``even``."""
    with service.client(service.make_token("many", "owner of many")) as client:
        fill_store(service, "many", MANY)
        yield client


def walk(client: httpx.Client, target: str) -> Iterator[httpx.Response]:
    """The pages from this target on, by following the links."""
    while True:
        page = client.get(target).raise_for_status()
        yield page
        link = page.headers.get("link")
        if link is None:
            return
        match = _LINK.fullmatch(link)
        assert match, link
        target = page.request.url.join(match[1]).raw_path.decode()


def plants_of(pages: Iterator[httpx.Response]) -> list[dict[str, object]]:
    return [plant for page in pages for plant in page.json()]


def test_an_empty_store_returns_an_empty_list(client: httpx.Client) -> None:
    listed = client.get("/plants")
    assert (listed.status_code, listed.content) == (200, b"[]")
    assert listed.headers["content-type"] == "application/json"
    assert "link" not in listed.headers


def test_plants_are_listed_as_created_ordered_by_id(client: httpx.Client) -> None:
    create_plant(client, 2, 'Ä"\\/<\U0001fab4>\u2028')
    create_plant(client, 1, "Monstera", "tropical")
    listed = client.get("/plants")
    expected = '[{"name":"Monstera","tag":"tropical"},{"name":"Ä\\"\\\\/<\U0001fab4>\u2028"}]'
    assert listed.content == expected.encode()
    assert listed.headers["content-length"] == str(len(expected.encode()))


def test_pages_are_ordered_by_id(client: httpx.Client) -> None:
    ids = (0, 2**63 - 1, -7, 2**53 + 1, -(2**63), 10, 9, 2**63 - 2)
    for plant_id in ids:
        create_plant(client, plant_id, f"p{plant_id}")
    assert [plant["id"] for plant in list_plants(client)] == sorted(ids)
    for limit in (1, 3, 8):
        pages = walk(client, f"/plants?limit={limit}&include=id")
        assert [plant["id"] for plant in plants_of(pages)] == sorted(ids)
    assert len(client.get("/plants?%6cimit=%33").json()) == 3
    assert client.get("/plants?limit=-0").content == b"[]"


@pytest.mark.parametrize("limit", [100, 1000, 1001, 2499])
@pytest.mark.parametrize("base", ["", "/stores/many"])
def test_following_the_links_returns_all_plants(many: httpx.Client, base: str, limit: int) -> None:
    pages = [page.json() for page in walk(many, f"{base}/plants?include=id&limit={limit}")]
    assert [plant["id"] for page in pages for plant in page] == list(range(1, MANY + 1))
    assert {len(page) for page in pages[:-1]} == {limit}
    assert 0 < len(pages[-1]) <= limit


@pytest.mark.parametrize("target", ["/plants?include=id", "/plants?limit=0"])
def test_total_count_is_the_number_of_plants_in_the_store(many: httpx.Client, target: str) -> None:
    assert many.get(target).headers["x-total-count"] == str(MANY)
    assert many.head(target).headers["x-total-count"] == str(MANY)


@ON_BOTH
def test_a_list_by_tags_has_plants_with_any_of_the_tags(many: httpx.Client) -> None:
    for tags, expected in (
        ("tag=even", range(2, MANY + 1, 2)),
        ("tag=absent&tag=even&tag=even", range(2, MANY + 1, 2)),
        ("tag=absent", range(0)),
    ):
        for limit in (7, 1100, MANY):
            pages = list(walk(many, f"/plants?include=id&limit={limit}&{tags}"))
            assert {page.headers["x-total-count"] for page in pages} == {str(len(expected))}
            assert [plant["id"] for plant in plants_of(iter(pages))] == list(expected)


def test_links_encode_special_characters_in_tags(client: httpx.Client) -> None:
    tag = 'a+b &c=d,"é>;%41\u2028'
    for plant_id in range(5):
        create_plant(client, plant_id, f"p{plant_id}", tag)
    pages = walk(client, str(httpx.URL("/plants", params={"tag": tag, "limit": "2"})))
    assert plants_of(pages) == [{"name": f"p{plant_id}", "tag": tag} for plant_id in range(5)]


def test_paging_continues_while_plants_are_created_and_deleted(client: httpx.Client) -> None:
    for plant_id in range(10):
        create_plant(client, plant_id, f"p{plant_id}")
    pages = walk(client, "/plants?limit=3&include=id")
    plants = next(pages).json()
    assert client.delete("/plants/2").status_code == 204  # the cursor's plant
    assert client.delete("/plants/5").status_code == 204
    create_plant(client, 20, "new")
    plants += plants_of(pages)
    assert [plant["id"] for plant in plants] == [0, 1, 2, 3, 4, 6, 7, 8, 9, 20]
