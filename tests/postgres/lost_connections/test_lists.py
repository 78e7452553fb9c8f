"""A list whose connection is lost is correct, or an error, or visibly incomplete."""

from pathlib import Path

import httpx
import pytest

from tests.http.blocking import fill_store
from tests.http.calls import list_plants as list_rows
from tests.http.raw import Connection, Message, exchange
from tests.postgres.lost_connections.calls import (
    NOT_WRITTEN,
    create,
    places_to_cut,
    wait_until_recovered,
)
from tests.postgres.proxied import ProxiedService, error_of, proxied_service
from tests.postgres.proxy import Way
from tests.postgres.server import PostgresServer
from tests.service import Service


def test_a_list_is_correct_or_an_error(proxied: ProxiedService, client: httpx.Client) -> None:
    for number in range(40):
        assert create(client, number) == 0
    expected = list_rows(client)
    for way in Way:
        request = lambda: list_rows(client, tag="tag-0")  # noqa: E731 - one line
        for number, place in enumerate(places_to_cut(proxied, way, request)):
            proxied.proxy.cut_after(way, place)
            # Another target each time, so that no response is cached.
            response = client.get(f"/plants?include=id&{way}={number}")
            proxied.proxy.mend()
            if response.status_code == 200:
                assert response.json() == expected
            else:
                assert error_of(response) == NOT_WRITTEN
            wait_until_recovered(client)


def fill(proxied: ProxiedService, count: int) -> None:
    direct = Service(Path("/nonexistent"), database=proxied.direct)
    fill_store(direct, "nursery", count, size=100)


def test_a_truncated_long_list_does_not_look_complete(
    proxied: ProxiedService, client: httpx.Client
) -> None:
    fill(proxied, 3000)
    places = places_to_cut(proxied, Way.RESPONSES, lambda: client.get("/plants?include=id"))
    outcomes = set()
    for place in places:
        proxied.proxy.cut_after(Way.RESPONSES, place)
        try:
            response = client.get("/plants?include=id")
        except httpx.RemoteProtocolError:
            outcomes.add("broken off")
        else:
            outcomes.add(str(error_of(response)))
            if response.is_success:
                assert [row["id"] for row in response.json()] == list(range(1, 3001))
        proxied.proxy.mend()
        wait_until_recovered(client)
    assert {"0", "broken off"} <= outcomes <= {"0", "broken off", str(NOT_WRITTEN)}


@pytest.mark.parametrize("version", ["HTTP/1.1", "HTTP/1.0"])
def test_a_truncated_long_list_frees_its_stream(
    postgres_server: PostgresServer, tmp_path: Path, version: str
) -> None:
    with proxied_service(postgres_server, tmp_path, {"max_streams": 1}) as proxied:
        fill(proxied, 20_000)
        headers = (("Host", "x"), ("Authorization", f"Bearer {proxied.token}"))
        listing = Message("GET", "/plants", headers, version=version)
        with Connection(proxied.service.origin) as connection:
            proxied.proxy.cut_after(Way.RESPONSES, 1_000_000)
            connection.send(listing)
            received = connection.read_to_end()
        proxied.proxy.mend()
        assert not received.endswith((b"]\r\n0\r\n\r\n", b"]"))
        assert exchange(proxied.service.origin, listing).status == 200
        assert "Traceback" not in proxied.service.log()
