"""What a list answers: all plants in the order of their ids, or as many as wanted."""

import httpx
import pytest

from plantstore.core.model import INT64_MAX, INT64_MIN
from tests.http import non_integers
from tests.http.calls import create_plant, expect_refused, list_plants

IDS = (0, INT64_MAX, -5, 10, 9, INT64_MIN, 100, -1)


@pytest.fixture
def some(client: httpx.Client) -> httpx.Client:
    """A client whose store has eight plants, named by their ids."""
    for plant_id in IDS:
        create_plant(client, plant_id, f"p{plant_id}")
    return client


def names(response: httpx.Response) -> list[str]:
    return [plant["name"] for plant in response.raise_for_status().json()]


def test_an_empty_store_is_an_empty_list(client: httpx.Client) -> None:
    listed = client.get("/plants")
    assert (listed.status_code, listed.content) == (200, b"[]")
    assert listed.headers["content-type"] == "application/json"
    assert "link" not in listed.headers


def test_plants_are_listed_exactly_as_created(client: httpx.Client) -> None:
    create_plant(client, 2, 'Ä"\\/<\U0001fab4>\u2028')
    create_plant(client, 1, "Monstera", "tropical")
    listed = client.get("/plants")
    expected = '[{"name":"Monstera","tag":"tropical"},{"name":"Ä\\"\\\\/<\U0001fab4>\u2028"}]'
    assert listed.content == expected.encode()
    assert listed.headers["content-length"] == str(len(expected.encode()))


def test_plants_come_in_the_order_of_their_ids(some: httpx.Client) -> None:
    assert names(some.get("/plants")) == [f"p{plant_id}" for plant_id in sorted(IDS)]
    assert [plant["id"] for plant in list_plants(some)] == sorted(IDS)


def test_a_limit_beyond_the_end_links_nowhere(some: httpx.Client) -> None:
    for limit in (len(IDS), len(IDS) + 1, 1000, 1001, 2147483647):
        listed = some.get(f"/plants?limit={limit}")
        assert len(names(listed)) == len(IDS)
        assert "link" not in listed.headers


def test_what_is_not_a_limit_is_refused(client: httpx.Client) -> None:
    for limit in (
        *non_integers.ALL,
        "-1",
        "2147483648",
        "%2B7",
        "%20",
        "%201",
        "1%20",
        "1%00",
        "all",
    ):
        message = expect_refused(client.get(f"/plants?limit={limit}"), 40005)
        assert message.startswith("limit must be a whole number from 0 to 2147483647")


def test_a_limit_given_twice_is_refused(client: httpx.Client) -> None:
    for query in ("limit=1&limit=1", "limit=1&limit=2", "limit=&l%69mit=1"):
        assert "twice" in expect_refused(client.get(f"/plants?{query}"), 40005)


def test_a_written_limit_may_be_percent_encoded(some: httpx.Client) -> None:
    assert len(names(some.get("/plants?%6cimit=%33"))) == 3


def test_minus_zero_is_zero(some: httpx.Client) -> None:
    assert some.get("/plants?limit=-0").content == b"[]"


def test_unknown_parameters_are_ignored(some: httpx.Client) -> None:
    for query in ("", "limt=5", "LIMIT=x", "Limit=0", "limit[]=0", "&&=&x&=5", "id=1", "%zz=%"):
        assert len(names(some.get(f"/plants?{query}"))) == len(IDS)


def test_a_body_of_a_list_is_ignored(some: httpx.Client) -> None:
    listed = some.request("GET", "/plants", json={"limit": 0})
    assert len(names(listed)) == len(IDS)
