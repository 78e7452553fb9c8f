"""``/readyz`` reports problems of the database file, and recovers."""

import errno
import os
import sys
import time
from pathlib import Path

import httpx
import pytest

from plantstore.core.errors import DatabaseUnavailableError
from plantstore.core.settings import Settings
from plantstore.databases import open_database
from tests.databases import create_sqlite, writes_held
from tests.faulty_vfs import VARIABLE
from tests.readiness import read_message, wait_for_readiness
from tests.service import Service
from tests.waiting import wait_until

REPLACED = "{name} was replaced or removed while the service runs: restart it"


@pytest.mark.parametrize("name", ["plants.db", "plants.db-wal", "plants.db-shm"])
def test_a_removed_file_makes_the_service_unready_until_it_is_back(
    tmp_path: Path, name: str
) -> None:
    settings = {"core.failures._INTERVAL": 0.2}
    with (
        Service(tmp_path, settings=settings) as service,
        service.client(service.make_token()) as client,
    ):
        (tmp_path / name).rename(tmp_path / "moved")
        for number in range(3):
            refused = client.post("/plants", json={"id": number, "name": "Fern"})
            assert refused.json()["error"] == 50302
            assert wait_for_readiness(service, 503) == REPLACED.format(name=name)
        (tmp_path / "moved").rename(tmp_path / name)
        for number in range(3):
            assert wait_for_readiness(service, 200) == "ready"
            assert client.post("/plants", json={"id": number, "name": "Fern"}).is_success
        # Logged a while after the last failure; each readiness check writes.
        wait_until(
            lambda: wait_for_readiness(service, 200) and "writes work again" in service.log()
        )
        assert f"not ready: {REPLACED.format(name=name)}" in service.log()
        assert "ready again after " in service.log()


def test_a_replaced_file_makes_the_service_unready(tmp_path: Path) -> None:
    with Service(tmp_path) as service:
        token = service.make_token()
        restored = tmp_path / "restored"
        restored.write_bytes((tmp_path / "plants.db").read_bytes())
        restored.rename(tmp_path / "plants.db")
        with service.client(token) as client:
            refused = client.post("/plants", json={"id": 1, "name": "Fern"})
            assert refused.json()["error"] == 50302
        assert wait_for_readiness(service, 503) == REPLACED.format(name="plants.db")
        assert service.process.poll() is None


def test_after_a_failed_write_readiness_requires_a_successful_write(tmp_path: Path) -> None:
    """A write that is rolled back would prove nothing: it works on a failing disk, too."""
    fault = tmp_path / "fault"
    command = ("env", f"{VARIABLE}={fault}", sys.executable, "-m", "tests.faulty_vfs")
    with Service(tmp_path, command=command) as service:
        token = service.make_token()
        fault.write_text("write")
        with service.client(token) as client:
            plant = {"id": 1, "name": "Fern"}
            assert client.post("/plants", json=plant).json()["error"] == 50302
            failed = fault.with_name("fault.writes")
            deadline = time.monotonic() + 30
            while len(failed.read_bytes()) < 3:  # writes after the first are readiness checks
                assert time.monotonic() < deadline
                message = read_message(client.get("/readyz"))
                assert message == "the database cannot be written: the disk fails"
            fault.unlink()
            assert wait_for_readiness(service, 200) == "ready"
            assert client.post("/plants", json=plant).status_code == 200


def test_a_lock_of_another_process_does_not_block_readyz(tmp_path: Path) -> None:
    """The service becomes unready when a write would have timed out."""
    with Service(tmp_path, settings={"write_timeout": 3}) as service:
        with writes_held(service.database):
            response = httpx.get(f"{service.origin}/readyz")
            assert read_message(response) == "ready"
            assert "lock" in wait_for_readiness(service, 503)
        assert wait_for_readiness(service, 200) == "ready"


@pytest.mark.anyio
async def test_a_failing_file_system_is_reported_without_its_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = await open_database(Settings(database=create_sqlite(tmp_path)))

    def fail(path: Path) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO), str(path))

    monkeypatch.setattr(os, "statvfs", fail)
    with pytest.raises(DatabaseUnavailableError) as raised:
        await database.check()
    await database.close()
    reason = "the database cannot be read: Input/output error"
    assert raised.value.details == {"reason": reason}
