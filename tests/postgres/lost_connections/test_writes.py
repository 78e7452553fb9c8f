"""A write whose connection is lost was done, was not, or has an unknown outcome."""

import time
from collections.abc import Callable

import httpx
import pytest

from tests.faults.load import IDS_EACH, under_load, wait_until_acknowledged
from tests.postgres.lost_connections.calls import (
    NOT_WRITTEN,
    UNKNOWN,
    create,
    create_at_last,
    delete,
    places_to_cut,
    wait_until_well,
)
from tests.postgres.proxied import ProxiedService
from tests.postgres.proxy import Way

MAX_ROUNDS = 20
Write = Callable[[httpx.Client, int], int]


@pytest.mark.parametrize("way", Way)
@pytest.mark.parametrize("write", [create, delete])
def test_a_write_was_done_or_was_not_as_it_was_answered(
    proxied: ProxiedService, client: httpx.Client, write: Write, way: Way
) -> None:
    not_again = 40004 if write is create else 40401
    for number in range(1 if write is create else 2):
        assert create(client, number) == 0
    write(client, 0)  # so that the statements are prepared
    places = places_to_cut(proxied, way, lambda: write(client, 1))
    seen = set[int]()
    # Again until both were seen: what new connections say counts as this way's bytes too.
    for number, place in enumerate([*places] * MAX_ROUNDS, 2):
        if number >= 2 + len(places) and seen >= {0, UNKNOWN}:
            break
        if write is delete:
            assert create(client, number) == 0
        proxied.proxy.cut_after(way, place)
        error = write(client, number)
        proxied.proxy.mend()
        seen.add(error)
        is_done = (number in {plant.id for plant in proxied.plants()}) == (write is create)
        assert error == UNKNOWN or (error == 0) == is_done
        assert error in {0, UNKNOWN, NOT_WRITTEN}
        wait_until_well(client)
        assert write(client, number) == (not_again if is_done else 0)
    assert seen >= {0, UNKNOWN}
    proxied.assert_whole()


@pytest.mark.parametrize("way", Way)
def test_a_retry_with_the_same_key_makes_one_plant(
    proxied: ProxiedService, client: httpx.Client, way: Way
) -> None:
    create(client, 0, "first")
    places = places_to_cut(proxied, way, lambda: create(client, 1, "second"))
    for number, place in enumerate(places, 2):
        proxied.proxy.cut_after(way, place)
        create(client, number, f"key {number}")  # whatever becomes of it
        proxied.proxy.mend()
        create_at_last(client, number, f"key {number}")
    assert [event.plant.id for event in proxied.events()] == list(range(2 + len(places)))
    proxied.assert_whole()


def test_connections_lost_while_nobody_used_them_are_not_noticed(
    proxied: ProxiedService, client: httpx.Client
) -> None:
    for number in range(5):
        with under_load(proxied.service, proxied.token, first=4 * number) as load_clients:
            wait_until_acknowledged(load_clients, 8)  # so that there are several
        proxied.proxy.cut()
        for _ in range(3):  # by now the service has read what arrived before
            assert client.get("/livez").status_code == 200
        assert create(client, number) == 0
        assert client.get("/plants").status_code == 200
    proxied.assert_whole()


def test_many_writes_in_flight_are_as_they_were_answered(proxied: ProxiedService) -> None:
    load_clients = []
    for cut in range(8):
        way = list(Way)[cut % 2]
        with under_load(proxied.service, proxied.token, first=4 * cut) as new:
            wait_until_acknowledged(new, 8)
            proxied.proxy.cut_after(way, 700 * cut)
            time.sleep(0.2)
        proxied.proxy.mend()
        load_clients += new
    proxied.assert_whole()
    stored = {plant.id for plant in proxied.plants()}
    for load_client in load_clients:
        load_client.assert_kept(stored)
        assert set(load_client.refusals) <= {50301, NOT_WRITTEN, UNKNOWN}
        assert load_client.refusals.count(UNKNOWN) == len(load_client.unknown)
    assert any(load_client.unknown for load_client in load_clients)
    assert all(plant.id >= IDS_EACH for plant in proxied.plants())
