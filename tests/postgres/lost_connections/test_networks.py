"""A network that is silent, slow, or closed on one side."""

import time

import httpx
import pytest

from tests.faults.load import under_load
from tests.postgres.lost_connections.calls import (
    NOT_WRITTEN,
    RECOVERY_SECONDS,
    UNKNOWN,
    create,
    create_with_retries,
    delete,
    wait_until_recovered,
)
from tests.postgres.proxied import ProxiedService
from tests.postgres.proxy import Way


def test_a_silent_network_causes_503_until_it_recovers(
    proxied: ProxiedService, client: httpx.Client
) -> None:
    assert create(client, 0) == 0
    with under_load(proxied.service, proxied.token) as load_clients, proxied.proxy.silent():
        began = time.monotonic()
        errors = {number: create(client, number) for number in (1, 2)}
        deleted = delete(client, 0)
        assert client.get("/plants").json()["error"] == NOT_WRITTEN
        assert client.get("/readyz").status_code == 503
        assert client.get("/livez").status_code == 200
        assert time.monotonic() - began < 2 * RECOVERY_SECONDS
        assert set(errors.values()) | {deleted} <= {NOT_WRITTEN, UNKNOWN}
        time.sleep(0.5)
    # Delayed bytes arrive now: only writes with an unknown outcome may still be done.
    wait_until_recovered(client)
    time.sleep(0.5)
    stored = {plant.id for plant in proxied.plants()}
    for number, error in {**errors, 0: deleted}.items():
        assert error == UNKNOWN or (number in stored) == (number == 0)
    for load_client in load_clients:
        load_client.assert_matches(stored)
    assert create(client, 3) == 0
    proxied.assert_consistent()


@pytest.mark.parametrize("way", Way)
def test_half_closed_connections_are_replaced(
    proxied: ProxiedService, client: httpx.Client, way: Way
) -> None:
    for number in range(5):
        proxied.proxy.end(way)
        create_with_retries(client, number, f"key {number}")
    assert [event.plant.id for event in proxied.events()] == list(range(5))
    proxied.assert_consistent()
