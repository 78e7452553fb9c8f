"""ETags and conditional lists."""

import httpx
import pytest

from tests.databases import ON_BOTH
from tests.http.blocking import memory_grows_at_most
from tests.http.calls import create_plant, expect_refused
from tests.http.conftest import StartService
from tests.http.raw import Connection, Message
from tests.service import Service

QUERIES = (
    *("", "?limit=0", "?limit=1", "?limit=2000", "?tag=a", "?include=id"),
    *("?include=etag", "?tag=a&include=id&limit=1"),
)


def etag_of(client: httpx.Client, query: str = "") -> str:
    etag: str = client.get(f"/plants{query}").headers["etag"]
    return etag


def is_fresh(client: httpx.Client, known: str, query: str = "") -> bool:
    response = client.get(f"/plants{query}", headers={"If-None-Match": known})
    assert response.status_code in {200, 304}
    return response.status_code == 304


def test_different_lists_have_different_etags(client: httpx.Client) -> None:
    create_plant(client, 1, "Fern", "a")
    # The whole list comes last: a wrong cache key would find it.
    etags = [etag_of(client, query) for query in reversed(QUERIES)]
    assert len(set(etags)) == len(QUERIES)


def test_lists_of_different_stores_have_different_etags(
    service: Service, client: httpx.Client
) -> None:
    with service.client(service.make_token("etags", "other")) as other:
        assert etag_of(other) != etag_of(client)
        assert not is_fresh(other, etag_of(client))


@pytest.mark.parametrize("query", QUERIES)
def test_a_list_that_matches_if_none_match_returns_304(client: httpx.Client, query: str) -> None:
    create_plant(client, 1, "Fern", "a")
    listed = client.get(f"/plants{query}")
    for form in ("{}", "W/{}", '"other", {}', '{} , "other"', '"a",W/{},"b"', "*"):
        known = form.format(listed.headers["etag"])
        response = client.get(f"/plants{query}", headers={"If-None-Match": known})
        assert (response.status_code, response.content) == (304, b"")
        assert response.headers["etag"] == listed.headers["etag"]
        for each in (response, listed):
            assert each.headers["cache-control"] == "private, no-cache"
            assert each.headers["vary"] == "Accept, Accept-Encoding, Authorization"
        always = {"date", "x-request-id", "x-content-type-options"}
        assert set(response.headers) == always | {"etag", "cache-control", "store-revision", "vary"}


def test_the_first_100_entity_tags_are_compared(client: httpx.Client) -> None:
    others, etag = '"other",', etag_of(client)
    assert is_fresh(client, 99 * others + etag)
    assert not is_fresh(client, 100 * others + etag)


@ON_BOTH
@pytest.mark.parametrize("query", ["", "?limit=1"])
def test_if_none_match_does_not_affect_other_requests(client: httpx.Client, query: str) -> None:
    for plant_id in range(3):
        create_plant(client, plant_id, "Fern")
        # This is the first request since the commit: the 304 is the first response to be cached.
        assert is_fresh(client, "*", query)
        listed = client.get(f"/plants{query}")
        assert (listed.status_code, len(listed.json())) == (200, 1 if query else plant_id + 1)
        for known in ("*", listed.headers["etag"], f'"other", {listed.headers["etag"]}'):
            for _ in range(2):
                assert is_fresh(client, known, query)
                again = client.get(f"/plants{query}")
                assert (again.status_code, again.content) == (200, listed.content)
                other = client.get(f"/plants{query}", headers={"If-None-Match": '"other"'})
                assert (other.status_code, other.content) == (200, listed.content)


def test_an_etag_that_is_not_exactly_the_lists_does_not_match(client: httpx.Client) -> None:
    for form in ("{}x", "x{}", "'{}'", "w/{}", "*, *x", '"*"', "", "W/"):
        assert not is_fresh(client, form.format(etag_of(client)))


def test_if_none_match_does_not_affect_errors(client: httpx.Client) -> None:
    response = client.get("/plants?limit=x", headers={"If-None-Match": "*"})
    expect_refused(response, 40005)
    assert "etag" not in response.headers


def test_the_cache_of_long_requests_stays_within_cache_size(start: StartService) -> None:
    own = start(cache_size=2**22)
    message = Message("GET", "/plants").with_token(f"{' ' * 14_000}{own.make_token()}")
    message = message.with_header("If-None-Match", "*")
    with Connection(own.origin) as connection:
        assert connection.request(message).status == 304
        with memory_grows_at_most(own, 2**22):
            for number in range(800):
                assert connection.request(message.with_target(f"/plants?x={number}")).status == 304
