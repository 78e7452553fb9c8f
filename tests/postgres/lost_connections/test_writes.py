"""A write whose connection is lost was done, was not, or has an unknown outcome."""

import time

import httpx
import pytest

from tests.faults.load import IDS_EACH, under_load, wait_until_acknowledged
from tests.http.calls import list_plants as list_rows
from tests.postgres.lost_connections.calls import (
    CUTS,
    NOT_WRITTEN,
    RECOVERY_SECONDS,
    UNKNOWN,
    create,
    delete,
    places_to_cut,
    wait_until_well,
)
from tests.postgres.proxied import ProxiedService
from tests.postgres.proxy import Way


@pytest.mark.parametrize("way", Way)
def test_a_create_was_done_or_was_not_as_it_was_answered(
    proxied: ProxiedService, client: httpx.Client, way: Way
) -> None:
    create(client, 0)  # so that the statements are prepared
    seen = set()
    for number, place in enumerate(places_to_cut(proxied, way, lambda: create(client, 1)), 2):
        proxied.proxy.cut_after(way, place)
        error = create(client, number)
        proxied.proxy.mend()
        seen.add(error)
        stored = {plant.id for plant in proxied.plants()}
        if error == NOT_WRITTEN:
            assert number not in stored
        elif error != UNKNOWN:
            assert error == 0
            assert number in stored
        wait_until_well(client)
        assert create(client, number) == (40004 if number in stored else 0)
    assert seen >= {0, UNKNOWN}
    proxied.assert_whole()


@pytest.mark.parametrize("way", Way)
def test_a_retry_with_the_same_key_makes_one_plant(
    proxied: ProxiedService, client: httpx.Client, way: Way
) -> None:
    create(client, 0, "first")
    places = places_to_cut(proxied, way, lambda: create(client, 1, "second"))
    unknown = 0
    for number, place in enumerate(places, 2):
        proxied.proxy.cut_after(way, place)
        error = create(client, number, f"key {number}")
        proxied.proxy.mend()
        unknown += error == UNKNOWN
        deadline = time.monotonic() + RECOVERY_SECONDS
        while error:
            assert error in {UNKNOWN, NOT_WRITTEN}
            assert time.monotonic() < deadline
            error = create(client, number, f"key {number}")
    assert unknown > 0
    assert [event.plant.id for event in proxied.events()] == list(range(2 + len(places)))
    proxied.assert_whole()


@pytest.mark.parametrize("way", Way)
def test_a_delete_was_done_or_was_not_as_it_was_answered(
    proxied: ProxiedService, client: httpx.Client, way: Way
) -> None:
    for number in range(3 * CUTS):
        assert create(client, number) == 0
    delete(client, 0)
    seen = set()
    for number, place in enumerate(places_to_cut(proxied, way, lambda: delete(client, 1)), 2):
        proxied.proxy.cut_after(way, place)
        error = delete(client, number)
        proxied.proxy.mend()
        seen.add(error)
        stored = {plant.id for plant in proxied.plants()}
        if error == NOT_WRITTEN:
            assert number in stored
        elif error != UNKNOWN:
            assert error == 0
            assert number not in stored
        wait_until_well(client)
    assert seen >= {0, UNKNOWN}
    proxied.assert_whole()


def test_where_only_the_answer_is_lost_the_write_was_done(
    proxied: ProxiedService, client: httpx.Client
) -> None:
    create(client, 0, "first")
    with proxied.service.client(proxied.token) as other:
        lists = places_to_cut(proxied, Way.ANSWERS, lambda: list_rows(other, limit="0"))
    # The first answers tell who calls; what comes after them tells of the commit.
    for number in range(1, 6):
        proxied.proxy.cut_after(Way.ANSWERS, lists[-1])
        if create(client, number, f"key {number}") == UNKNOWN:
            assert number in {plant.id for plant in proxied.plants()}
        proxied.proxy.mend()
        wait_until_well(client)
        assert create(client, number, f"key {number}") == 0
    assert [event.plant.id for event in proxied.events()] == list(range(6))


def test_connections_lost_while_nobody_used_them_are_not_noticed(
    proxied: ProxiedService, client: httpx.Client
) -> None:
    for number in range(5):
        with under_load(proxied.service, proxied.token, first=4 * number) as load_clients:
            wait_until_acknowledged(load_clients, 8)  # so that there are several
        proxied.proxy.cut()
        time.sleep(0.2)  # for the news to arrive
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
