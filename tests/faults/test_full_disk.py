"""On a full disk the service refuses writes, serves reads, and recovers when there is room."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import apsw
import httpx
import pytest

from plantstore.sqlite.connection import connect
from tests.cli import test_check
from tests.faults.load import (
    LoadClient,
    assert_consistent,
    assert_integrity,
    body,
    under_load,
    wait_until_acknowledged,
    wait_until_refused,
)
from tests.faults.small_disk import SmallDisk, small_disk
from tests.readiness import wait_for_readiness

FRAMES_OF_FIRST_PART = 4062  # of the log's index, which is 32 KiB


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[SmallDisk]:
    with small_disk(tmp_path) as small:
        yield small


def create(client: httpx.Client, plant_id: int) -> httpx.Response:
    return client.post("/plants", json=body(plant_id))


def list_ids(client: httpx.Client) -> list[int]:
    return [row["id"] for row in client.get("/plants?include=id").json()]


def test_on_a_full_disk_creates_fail_lists_work_and_readiness_is_503(
    disk: SmallDisk,
) -> None:
    token = disk.service.make_token()
    with disk.service.client(token) as client:
        stored = list(range(100))
        assert all(create(client, plant_id).is_success for plant_id in stored)
        disk.fill()
        message = wait_for_readiness(disk.service, 503)  # without any write
        assert message == "the database cannot be written: the disk is full"
        while create(client, len(stored)).is_success:
            stored.append(len(stored))
        for _ in range(5):
            refused = create(client, 100_000)
            assert (refused.status_code, refused.json()["error"]) == (503, 50302)
            assert refused.headers["retry-after"]
            assert list_ids(client) == stored
            assert len(client.get("/plants?tag=tag-1&limit=3").json()) == 3
            assert client.get("/livez").status_code == 200
    disk.make_room()
    assert wait_for_readiness(disk.service, 200) == "ready"
    assert "Traceback" not in disk.service.log()


def test_acknowledged_writes_survive_a_disk_that_fills_under_load(disk: SmallDisk) -> None:
    service = disk.service
    token = service.make_token()
    load_clients: list[LoadClient] = []
    for number in range(3):
        with under_load(service, token, first=4 * number) as new:
            wait_until_acknowledged(new, 20)
            disk.fill()
            wait_until_refused(new)
            disk.make_room()
            wait_until_acknowledged(new, 20)
            assert wait_for_readiness(service, 200) == "ready"
            if number == 2:
                service.kill()
        load_clients += new
    service.start()
    assert_consistent(service, "nursery", load_clients)
    assert_integrity(service)
    assert {error for load_client in load_clients for error in load_client.refusals} == {50302}


def test_a_refused_write_that_recovery_may_restore_returns_50303(
    disk: SmallDisk,
) -> None:
    """The commit is in the log, but the log's index has no room for its next 8 pages."""
    service = disk.service
    token = service.make_token()
    path = disk.folder / "plants.db"
    plant_id = 0
    with closing(connect(path)) as reader, service.client(token) as client:
        reader.execute("BEGIN; SELECT * FROM stores").fetchall()  # keeps the log from restarting
        reader.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)  # keeps the log, as a crash does
        while frames(path) < FRAMES_OF_FIRST_PART - 10:
            assert create(client, plant_id).is_success
            plant_id += 1
        disk.leave(pages=8)
        while (response := create(client, plant_id)).is_success:
            plant_id += 1
            disk.leave(pages=8)
        assert frames(path) > FRAMES_OF_FIRST_PART  # the refused write is in the log
        assert (response.status_code, response.json()["error"]) == (503, 50303)
        assert list_ids(client) == list(range(plant_id))
        service.kill()
    disk.make_room()
    service.start()
    with service.client(token) as client:
        assert list_ids(client) == list(range(plant_id + 1))
        assert create(client, plant_id).json()["error"] == 40004


def frames(path: Path) -> int:
    return (path.with_name(f"{path.name}-wal").stat().st_size - 32) // (4096 + 24)


def failures(disk: SmallDisk) -> dict[str, str]:
    """The failed checks without the disk check, which demands a gigabyte and always fails."""
    failed = test_check.failures(disk.program, disk.folder)
    failed.pop("disk", None)
    return failed


def test_commands_report_a_full_disk_and_recover_with_room(disk: SmallDisk) -> None:
    create = ("token", "create", "--create", "--store", "nursery", "--user")
    assert failures(disk) == {}
    disk.fill()
    assert "No space left on device" in failures(disk)["writable"]
    count = 0
    while (result := disk.program.run(*create, f"user-{count}")).status == 0:
        count += 1
    assert result.status == 1
    assert "disk is full" in result.err
    assert "Traceback" not in result.err
    assert len(disk.program.data("token", "list")) == count
    assert disk.service.stop() == 0
    disk.fill()
    assert failures(disk).keys() == {"writable"}
    assert "disk" in disk.program.refusal("serve", "--port", "0")
    disk.make_room()
    assert failures(disk) == {}
    disk.program.out(*create, "eve")
    disk.service.start()
