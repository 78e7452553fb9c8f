"""A network that is silent, slow, or closed on one side."""

import time

import httpx
import pytest

from tests.faults.planters import planting
from tests.http.calls import list_plants as list_rows
from tests.postgres.lines import Line
from tests.postgres.lost_connections.calls import (
    NOT_WRITTEN,
    PATIENCE,
    UNKNOWN,
    create,
    delete,
    wait_until_well,
)
from tests.postgres.proxy import Way


def test_a_silent_network_gives_503_and_then_all_goes_on(wire: Line, client: httpx.Client) -> None:
    assert create(client, 0) == 0
    with planting(wire.service, wire.token) as planters, wire.proxy.silent():
        began = time.monotonic()
        errors = {number: create(client, number) for number in (1, 2)}
        deleted = delete(client, 0)
        assert client.get("/plants").json()["error"] == NOT_WRITTEN
        assert client.get("/readyz").status_code == 503
        assert client.get("/livez").status_code == 200
        assert time.monotonic() - began < 2 * PATIENCE
        assert set(errors.values()) | {deleted} <= {NOT_WRITTEN, UNKNOWN}
        time.sleep(0.5)
    # What was on its way arrives now: only what was told to be unknown may still be done.
    wait_until_well(client)
    time.sleep(0.5)
    stored = {plant.id for plant in wire.plants()}
    for number, error in {**errors, 0: deleted}.items():
        assert error == UNKNOWN or (number in stored) == (number == 0)
    for planter in planters:
        assert planter.there - planter.unsure <= stored
        assert not stored & (planter.gone - planter.unsure)
    assert create(client, 3) == 0
    wire.demand_whole()


def test_a_slow_network_slows_down_and_does_no_more(wire: Line, client: httpx.Client) -> None:
    wire.proxy.delay = 0.05
    for number in range(5):
        assert create(client, number) == 0
        assert [row["id"] for row in list_rows(client)] == list(range(number + 1))
    wire.demand_whole()


@pytest.mark.parametrize("way", Way)
def test_half_closed_connections_are_replaced(wire: Line, client: httpx.Client, way: Way) -> None:
    for number in range(5):
        wire.proxy.end(way)
        deadline = time.monotonic() + PATIENCE
        while error := create(client, number, f"key {number}"):
            assert error in {NOT_WRITTEN, UNKNOWN}
            assert time.monotonic() < deadline
    assert [event.plant.id for event in wire.events()] == list(range(5))
    wire.demand_whole()
