"""What a client asks of a service whose network fails."""

from collections.abc import Callable

import httpx

from tests.faults.load import body
from tests.postgres.proxied import ProxiedService, error_of
from tests.postgres.proxy import Way
from tests.waiting import wait_until

CUTS = 16  # places at which what belongs to one request is cut, from its begin to after its end
RECOVERY_SECONDS = 20.0
UNKNOWN = 50303
NOT_WRITTEN = 50302


def create(client: httpx.Client, plant_id: int, key: str | None = None) -> int:
    """Create a plant; the error's number, or 0."""
    headers = {} if key is None else {"Idempotency-Key": key}
    return error_of(client.post("/plants", json=body(plant_id), headers=headers))


def create_at_last(client: httpx.Client, plant_id: int, key: str) -> None:
    def is_done() -> bool:
        error = create(client, plant_id, key)
        assert error in {0, NOT_WRITTEN, UNKNOWN}
        return error == 0

    wait_until(is_done)


def delete(client: httpx.Client, plant_id: int) -> int:
    return error_of(client.delete(f"/plants/{plant_id}"))


def wait_until_well(client: httpx.Client) -> None:
    wait_until(lambda: client.get("/plants?limit=0").status_code == 200)


def places_to_cut(proxied: ProxiedService, way: Way, ask: Callable[[], object]) -> range:
    """Numbers of bytes from none to a little more than a request like this makes go this way."""
    before = proxied.proxy.passed[way]
    ask()
    count = proxied.proxy.passed[way] - before + 50
    return range(0, count, max(1, count // CUTS))
