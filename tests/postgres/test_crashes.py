"""A PostgreSQL that is killed under load, and what the service answered meanwhile."""

import random
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.load import (
    LoadClient,
    assert_whole,
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
    """A server of the test's own, on a disk that it trusts; it leaves commits to the service."""
    options = ("fsync = on", "synchronous_commit = off", "wal_writer_delay = 1s")
    with PostgresServer(tmp_path / "postgres", *options) as running:
        yield running


def wait_until_written(service: Service, token: str, plant_id: int) -> float:
    """Seconds until the service takes a write, asked for again and again."""
    began = time.monotonic()
    with service.client(token) as client:
        while not (answer := client.post("/plants", json=body(plant_id))).is_success:
            error = answer.json()["error"]
            if error == 40004:  # its outcome was unknown
                break
            assert error in {50302, 50303}
            assert time.monotonic() - began < 3 * BACK_SECONDS
            time.sleep(0.02)
    return time.monotonic() - began


def test_nothing_acknowledged_is_lost_when_the_database_is_killed(
    tmp_path: Path, durable: PostgresServer
) -> None:
    chance = random.Random(8)  # noqa: S311 - no secrets
    load_clients: list[LoadClient] = []
    took: list[float] = []
    with durable.fresh() as url, Service(tmp_path, database=url) as service:
        token = service.make_token()
        scratch = service.make_token("scratch")
        for crash in range(CRASHES):
            with under_load(service, token, first=4 * crash) as new:
                wait_until_acknowledged(new, chance.randrange(4, 100))
                durable.kill()
                wait_until_refused(new, chance.randrange(1, 5))
                durable.start()
                took.append(wait_until_written(service, scratch, crash))
            load_clients += new
        assert_whole(service, "nursery", load_clients)
        assert service.process.poll() is None  # one process went through it all
        assert "Traceback" not in service.log()
    assert {error for load_client in load_clients for error in load_client.refusals} <= {
        50301,
        50302,
        50303,
    }
    assert any(load_client.refusals for load_client in load_clients)
    assert sorted(took)[CRASHES // 2] < BACK_SECONDS / 4
