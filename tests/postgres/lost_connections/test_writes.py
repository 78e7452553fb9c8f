"""A write whose connection is lost was done, was not, or is told to be unknown."""

import time

import httpx
import pytest

from tests.faults.planters import IDS_EACH, planting, wait_until_planted
from tests.http.calls import list_plants as list_rows
from tests.postgres.lines import Line
from tests.postgres.lost_connections.calls import (
    CUTS,
    NOT_WRITTEN,
    PATIENCE,
    UNKNOWN,
    create,
    delete,
    places_to_cut,
    wait_until_well,
)
from tests.postgres.proxy import Way


@pytest.mark.parametrize("way", Way)
def test_a_create_was_done_or_was_not_as_it_was_told(
    wire: Line, client: httpx.Client, way: Way
) -> None:
    create(client, 0)  # so that the statements are prepared
    seen = set()
    for number, place in enumerate(places_to_cut(wire, way, lambda: create(client, 1)), 2):
        wire.proxy.cut_after(way, place)
        error = create(client, number)
        wire.proxy.mend()
        seen.add(error)
        stored = {plant.id for plant in wire.plants()}
        if error == NOT_WRITTEN:
            assert number not in stored
        elif error != UNKNOWN:
            assert error == 0
            assert number in stored
        wait_until_well(client)
        assert create(client, number) == (40004 if number in stored else 0)
    assert seen >= {0, UNKNOWN}
    wire.demand_whole()


@pytest.mark.parametrize("way", Way)
def test_a_retry_with_the_same_key_makes_one_plant(
    wire: Line, client: httpx.Client, way: Way
) -> None:
    create(client, 0, "first")
    places = places_to_cut(wire, way, lambda: create(client, 1, "second"))
    unknown = 0
    for number, place in enumerate(places, 2):
        wire.proxy.cut_after(way, place)
        error = create(client, number, f"key {number}")
        wire.proxy.mend()
        unknown += error == UNKNOWN
        deadline = time.monotonic() + PATIENCE
        while error:
            assert error in {UNKNOWN, NOT_WRITTEN}
            assert time.monotonic() < deadline
            error = create(client, number, f"key {number}")
    assert unknown > 0
    assert [event.plant.id for event in wire.events()] == list(range(2 + len(places)))
    wire.demand_whole()


@pytest.mark.parametrize("way", Way)
def test_a_delete_was_done_or_was_not_as_it_was_told(
    wire: Line, client: httpx.Client, way: Way
) -> None:
    for number in range(3 * CUTS):
        assert create(client, number) == 0
    delete(client, 0)
    seen = set()
    for number, place in enumerate(places_to_cut(wire, way, lambda: delete(client, 1)), 2):
        wire.proxy.cut_after(way, place)
        error = delete(client, number)
        wire.proxy.mend()
        seen.add(error)
        stored = {plant.id for plant in wire.plants()}
        if error == NOT_WRITTEN:
            assert number in stored
        elif error != UNKNOWN:
            assert error == 0
            assert number not in stored
        wait_until_well(client)
    assert seen >= {0, UNKNOWN}
    wire.demand_whole()


def test_where_only_the_answer_is_lost_the_write_was_done(wire: Line, client: httpx.Client) -> None:
    create(client, 0, "first")
    with wire.service.client(wire.token) as other:
        lists = places_to_cut(wire, Way.ANSWERS, lambda: list_rows(other, limit="0"))
    # The first answers tell who calls; what comes after them tells of the commit.
    for number in range(1, 6):
        wire.proxy.cut_after(Way.ANSWERS, lists[-1])
        if create(client, number, f"key {number}") == UNKNOWN:
            assert number in {plant.id for plant in wire.plants()}
        wire.proxy.mend()
        wait_until_well(client)
        assert create(client, number, f"key {number}") == 0
    assert [event.plant.id for event in wire.events()] == list(range(6))


def test_connections_lost_while_nobody_used_them_are_not_noticed(
    wire: Line, client: httpx.Client
) -> None:
    for number in range(5):
        with planting(wire.service, wire.token, first=4 * number) as planters:
            wait_until_planted(planters, 8)  # so that there are several
        wire.proxy.cut()
        time.sleep(0.2)  # for the news to arrive
        assert create(client, number) == 0
        assert client.get("/plants").status_code == 200
    wire.demand_whole()


def test_many_writes_under_way_are_as_they_were_told(wire: Line) -> None:
    planters = []
    for cut in range(8):
        way = list(Way)[cut % 2]
        with planting(wire.service, wire.token, first=4 * cut) as new:
            wait_until_planted(new, 8)
            wire.proxy.cut_after(way, 700 * cut)
            time.sleep(0.2)
        wire.proxy.mend()
        planters += new
    wire.demand_whole()
    stored = {plant.id for plant in wire.plants()}
    for planter in planters:
        assert planter.there - planter.unsure <= stored
        assert not stored & (planter.gone - planter.unsure)
        assert set(planter.refusals) <= {50301, NOT_WRITTEN, UNKNOWN}
        assert planter.refusals.count(UNKNOWN) == len(planter.unsure)
    assert any(planter.unsure for planter in planters)
    assert all(plant.id >= IDS_EACH for plant in wire.plants())
