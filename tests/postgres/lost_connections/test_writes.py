"""The response to a write whose connection is lost matches what was stored."""

import time
from collections.abc import Callable

import httpx
import pytest

from tests.faults.load import IDS_EACH, under_load, wait_until_acknowledged
from tests.postgres.lost_connections.calls import (
    NOT_WRITTEN,
    UNKNOWN,
    create,
    create_with_retries,
    delete,
    places_to_cut,
    wait_until_recovered,
)
from tests.postgres.proxied import ProxiedService
from tests.postgres.proxy import Way

MAX_ROUNDS = 20
Write = Callable[[httpx.Client, int], int]


@pytest.mark.parametrize("way", Way)
@pytest.mark.parametrize("write", [create, delete])
def test_the_response_to_a_write_matches_what_was_stored(
    proxied: ProxiedService, client: httpx.Client, write: Write, way: Way
) -> None:
    repeat_error = 40004 if write is create else 40401
    for number in range(1 if write is create else 2):
        assert create(client, number) == 0
    write(client, 0)  # prepares the statements
    places = places_to_cut(proxied, way, lambda: write(client, 1))
    errors_seen = set[int]()
    # Repeat until both errors were seen: the bytes of new connections count, too.
    for number, place in enumerate([*places] * MAX_ROUNDS, 2):
        if number >= 2 + len(places) and errors_seen >= {0, UNKNOWN}:
            break
        if write is delete:
            assert create(client, number) == 0
        proxied.proxy.cut_after(way, place)
        error = write(client, number)
        proxied.proxy.mend()
        errors_seen.add(error)
        is_done = (number in {plant.id for plant in proxied.plants()}) == (write is create)
        assert error == UNKNOWN or (error == 0) == is_done
        assert error in {0, UNKNOWN, NOT_WRITTEN}
        wait_until_recovered(client)
        assert write(client, number) == (repeat_error if is_done else 0)
    assert errors_seen >= {0, UNKNOWN}
    proxied.assert_consistent()


@pytest.mark.parametrize("way", Way)
def test_a_retry_with_the_same_key_creates_one_plant(
    proxied: ProxiedService, client: httpx.Client, way: Way
) -> None:
    create(client, 0, "first")
    places = places_to_cut(proxied, way, lambda: create(client, 1, "second"))
    for number, place in enumerate(places, 2):
        proxied.proxy.cut_after(way, place)
        create(client, number, f"key {number}")  # with any outcome
        proxied.proxy.mend()
        create_with_retries(client, number, f"key {number}")
    assert [event.plant.id for event in proxied.events()] == list(range(2 + len(places)))
    proxied.assert_consistent()


def test_lost_idle_connections_cause_no_error(
    proxied: ProxiedService, client: httpx.Client
) -> None:
    for number in range(5):
        with under_load(proxied.service, proxied.token, first=4 * number) as load_clients:
            wait_until_acknowledged(load_clients, 8)  # so that there are several
        proxied.proxy.cut()
        for _ in range(3):  # by now the service has noticed the lost connections
            assert client.get("/livez").status_code == 200
        assert create(client, number) == 0
        assert client.get("/plants").status_code == 200
    proxied.assert_consistent()


def test_responses_to_concurrent_writes_match_what_was_stored(proxied: ProxiedService) -> None:
    load_clients = []
    for cut in range(8):
        way = list(Way)[cut % 2]
        with under_load(proxied.service, proxied.token, first=4 * cut) as new:
            wait_until_acknowledged(new, 8)
            proxied.proxy.cut_after(way, 700 * cut)
            time.sleep(0.2)
        proxied.proxy.mend()
        load_clients += new
    proxied.assert_consistent()
    stored = {plant.id for plant in proxied.plants()}
    for load_client in load_clients:
        load_client.assert_matches(stored)
        assert set(load_client.refusals) <= {50301, NOT_WRITTEN, UNKNOWN}
        assert load_client.refusals.count(UNKNOWN) == len(load_client.unknown)
    assert any(load_client.unknown for load_client in load_clients)
    assert all(plant.id >= IDS_EACH for plant in proxied.plants())
