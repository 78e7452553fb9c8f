"""On a full disk the service refuses what it cannot keep, reads on, and recovers with room."""

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
    assert_integrity,
    assert_whole,
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
    with small_disk(tmp_path) as found:
        yield found


def create(client: httpx.Client, plant_id: int) -> httpx.Response:
    return client.post("/plants", json=body(plant_id))


def list_ids(client: httpx.Client) -> list[int]:
    return [row["id"] for row in client.get("/plants?include=id").json()]


def test_a_full_disk_refuses_creates_and_answers_lists_and_it_is_not_ready(
    disk: SmallDisk,
) -> None:
    token = disk.service.make_token()
    with disk.service.client(token) as client:
        stored = list(range(100))
        assert all(create(client, plant_id).is_success for plant_id in stored)
        disk.fill()
        told = wait_for_readiness(disk.service, 503)  # though nobody writes
        assert told == "the database cannot be written: the disk is full"
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


def test_a_disk_that_fills_under_load_loses_nothing_acknowledged(disk: SmallDisk) -> None:
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
    assert_whole(service, "nursery", load_clients)
    assert_integrity(service)
    assert {error for load_client in load_clients for error in load_client.refusals} == {50302}


def test_a_write_that_a_crash_may_bring_back_has_an_unknown_outcome(
    disk: SmallDisk,
) -> None:
    """The log's index begins a new part behind the commit, in 8 pages; the log itself took less."""
    service = disk.service
    token = service.make_token()
    path = disk.folder / "plants.db"
    plant_id = 0
    with closing(connect(path)) as reader, service.client(token) as client:
        reader.execute("BEGIN; SELECT * FROM stores").fetchall()  # the log does not begin anew
        reader.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)  # a crash leaves the log
        while frames(path) < FRAMES_OF_FIRST_PART - 10:
            assert create(client, plant_id).is_success
            plant_id += 1
        disk.leave(pages=8)
        while (answer := create(client, plant_id)).is_success:
            plant_id += 1
            disk.leave(pages=8)
        assert frames(path) > FRAMES_OF_FIRST_PART  # the refused one is there
        assert (answer.status_code, answer.json()["error"]) == (503, 50303)
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
    """The failed checks, but that of the disk: it never has the gigabyte that should be free."""
    failed = test_check.failures(disk.program, disk.folder)
    failed.pop("disk", None)
    return failed


def test_commands_say_that_the_disk_is_full_and_work_again_with_room(disk: SmallDisk) -> None:
    create = ("token", "create", "--create", "--store", "nursery", "--user")
    assert failures(disk) == {}
    disk.fill()
    assert "No space left on device" in failures(disk)["writable"]
    made = 0
    while (done := disk.program.run(*create, f"user-{made}")).status == 0:
        made += 1
    assert done.status == 1
    assert "disk is full" in done.err
    assert "Traceback" not in done.err
    assert len(disk.program.data("token", "list")) == made
    assert disk.service.stop() == 0
    disk.fill()
    assert failures(disk).keys() == {"writable"}
    assert "disk" in disk.program.refusal("serve", "--port", "0")
    disk.make_room()
    assert failures(disk) == {}
    disk.program.out(*create, "eve")
    disk.service.start()
