"""Requests to a service whose network fails."""

from collections.abc import Callable

import httpx

from tests.faults.load import body
from tests.postgres.proxied import ProxiedService, error_of
from tests.postgres.proxy import Way
from tests.waiting import wait_until

CUTS = 16  # places at which the bytes of a request are cut, from its start to after its end
RECOVERY_SECONDS = 20.0
UNKNOWN = 50303
NOT_WRITTEN = 50302


def create(client: httpx.Client, plant_id: int, key: str | None = None) -> int:
    """Create a plant; return the error's number, or 0."""
    headers = {} if key is None else {"Idempotency-Key": key}
    return error_of(client.post("/plants", json=body(plant_id), headers=headers))


def create_with_retries(client: httpx.Client, plant_id: int, key: str) -> None:
    def is_done() -> bool:
        error = create(client, plant_id, key)
        assert error in {0, NOT_WRITTEN, UNKNOWN}
        return error == 0

    wait_until(is_done)


def delete(client: httpx.Client, plant_id: int) -> int:
    return error_of(client.delete(f"/plants/{plant_id}"))


def wait_until_recovered(client: httpx.Client) -> None:
    wait_until(lambda: client.get("/plants?limit=0").status_code == 200)


def places_to_cut(proxied: ProxiedService, way: Way, request: Callable[[], object]) -> range:
    """Byte counts at which to cut: from 0 to a little more than such a request needs this way."""
    before = proxied.proxy.passed[way]
    request()
    count = proxied.proxy.passed[way] - before + 50
    return range(0, count, max(1, count // CUTS))
