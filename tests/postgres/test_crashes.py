"""Acknowledged writes survive crashes of PostgreSQL under load."""

import random
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.load import (
    LoadClient,
    assert_consistent,
    body,
    under_load,
    wait_until_acknowledged,
    wait_until_refused,
)
from tests.postgres.server import PostgresServer
from tests.service import Service

CRASHES = 4
BACK_SECONDS = 20.0


@pytest.fixture
def durable(tmp_path: Path) -> Iterator[PostgresServer]:
    """A server with fsync that commits asynchronously unless the service asks otherwise."""
    options = ("fsync = on", "synchronous_commit = off", "wal_writer_delay = 1s")
    with PostgresServer(tmp_path / "postgres", *options) as running:
        yield running


def wait_until_written(service: Service, token: str, plant_id: int) -> float:
    """Retry a create until it is stored; return the seconds that it took."""
    began = time.monotonic()
    with service.client(token) as client:
        while not (response := client.post("/plants", json=body(plant_id))).is_success:
            error = response.json()["error"]
            if error == 40004:  # its outcome was unknown
                break
            assert error in {50302, 50303}
            assert time.monotonic() - began < 3 * BACK_SECONDS
            time.sleep(0.02)
    return time.monotonic() - began


def test_acknowledged_writes_survive_crashes_of_postgresql(
    tmp_path: Path, durable: PostgresServer
) -> None:
    chance = random.Random(8)  # noqa: S311 - no secrets
    load_clients: list[LoadClient] = []
    recovery_times: list[float] = []
    with durable.fresh() as url, Service(tmp_path, database=url) as service:
        token = service.make_token()
        scratch = service.make_token("scratch")
        for crash in range(CRASHES):
            with under_load(service, token, first=4 * crash) as new:
                wait_until_acknowledged(new, chance.randrange(4, 100))
                durable.kill()
                wait_until_refused(new, chance.randrange(1, 5))
                durable.start()
                recovery_times.append(wait_until_written(service, scratch, crash))
            load_clients += new
        assert_consistent(service, "nursery", load_clients)
        assert service.process.poll() is None  # the service did not restart
        assert "Traceback" not in service.log()
    assert {error for load_client in load_clients for error in load_client.refusals} <= {
        50301,
        50302,
        50303,
    }
    assert any(load_client.refusals for load_client in load_clients)
    assert sorted(recovery_times)[CRASHES // 2] < BACK_SECONDS / 4
