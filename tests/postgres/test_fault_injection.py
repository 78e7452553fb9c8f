"""The checks of two processes find faults: what a service over PostgreSQL could do wrong."""

from pathlib import Path

import pytest

from tests.faults.racing import assert_explained, race
from tests.faults.test_two_processes import create_at_once
from tests.faults.two_processes import two_services
from tests.postgres.fault_injection import COMMAND, VARIABLE
from tests.postgres.server import PostgresServer


@pytest.fixture
def anyio_backend() -> str:
    """The event loop of asynchronous tests."""
    return "asyncio"


@pytest.mark.anyio
@pytest.mark.parametrize("fault", ["early", "lagging"])
async def test_a_fault_of_one_service_is_found(
    postgres_server: PostgresServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    monkeypatch.setenv(VARIABLE, fault)
    with two_services(postgres_server, tmp_path, COMMAND) as processes:
        seen = await race(processes.service.make_token(), *processes.services)
        events = processes.service.events("nursery")
        with pytest.raises(AssertionError):
            assert_explained(seen, events)


def test_without_the_lock_a_key_used_at_once_is_not_used_once(
    postgres_server: PostgresServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, "unlocked")
    with two_services(postgres_server, tmp_path, COMMAND) as processes:
        assert create_at_once(processes, processes.service.make_token()) != {200}
