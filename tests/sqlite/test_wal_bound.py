"""Slow long lists do not let the WAL grow without limit."""

import asyncio
from collections.abc import Callable
from contextlib import ExitStack, closing, suppress
from pathlib import Path

import httpx
import pytest

from plantstore.core.model import NewPlant
from plantstore.sqlite.connection import connect, database_path
from plantstore.sqlite.data_version import DataVersion
from plantstore.sqlite.file_lock import FileLock
from plantstore.sqlite.snapshot import SQLiteSnapshot
from tests.administration import open_administration
from tests.contract.harness import DatabaseHarness
from tests.databases import create_sqlite
from tests.http.blocking import FILLER, fill_store, in_flight_stream
from tests.http.calls import create_plant
from tests.http.fixtures import LISTS, make_fixture
from tests.service import Service

COUNT = 5000
BOUND = 4 * 2**20
LIST_SECONDS = 0.1
MAX_WRITES = 20_000
WARNING = "aborted a long list"


def write_until(client: httpx.Client, condition: Callable[[], bool]) -> None:
    for number in range(MAX_WRITES):
        if condition():
            return
        create_plant(client, 10**6 + number, "x" * 200)
        client.delete(f"/plants/{10**6 + number}")
    pytest.fail("the condition never became true")


def test_slow_lists_are_aborted_when_the_wal_exceeds_max_wal_size(tmp_path: Path) -> None:
    with Service(tmp_path, settings={"max_wal_size": BOUND}) as own:
        fixture = make_fixture(own)
        other = make_fixture(own)
        fill_store(own, fixture.store, COUNT, 250, FILLER)
        version = DataVersion(database_path(own.database))
        with closing(version), own.client(fixture.token) as client, ExitStack() as stack:
            write_until(client, lambda: version.count_wal_bytes() < BOUND)
            slow_ones = [stack.enter_context(in_flight_stream(fixture)) for _ in range(2)]
            fill_store(own, other.store, COUNT, 250, FILLER)
            assert version.count_wal_bytes() > BOUND
            write_until(client, lambda: version.count_wal_bytes() < BOUND)
            for slow in slow_ones:
                with suppress(ConnectionResetError):
                    assert not slow.read_to_end().endswith(b"]\r\n0\r\n\r\n")
            assert own.log().count(WARNING) == own.log().count("WARNING") == len(slow_ones)
            assert own.log().count("Traceback") == own.log().count("a read failed") == 0
            assert len(fixture.send(fixture.message(LISTS[0])).json) >= COUNT


@pytest.mark.anyio
@pytest.mark.parametrize(("interval", "soon", "grace"), [(0.5, 0.5, 5.0), (0.05, 0.02, 0.3)])
async def test_lists_that_overlap_do_not_keep_the_wal_and_are_not_aborted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, interval: float, soon: float, grace: float
) -> None:
    monkeypatch.setattr("plantstore.sqlite.snapshot._INTERVAL", interval)
    monkeypatch.setattr("plantstore.sqlite.snapshot._SOON", soon)
    monkeypatch.setattr("plantstore.sqlite.snapshot._GRACE", grace)
    url = create_sqlite(tmp_path)
    with closing(open_administration(url)) as administration:
        async with DatabaseHarness(url, administration, max_wal_size=BOUND) as harness:
            aborted = list[bool]()

            async def read_lists(number: int) -> None:
                await asyncio.sleep(number * LIST_SECONDS / 3)
                while True:
                    snapshot = await harness.database.open_snapshot(harness.store_id)
                    assert isinstance(snapshot, SQLiteSnapshot)
                    await asyncio.sleep(LIST_SECONDS)  # meanwhile, other lists begin and end
                    aborted.append(snapshot.is_aborted)
                    await snapshot.close()

            async def write_until(condition: Callable[[], bool]) -> None:
                while not condition():
                    await harness.create(NewPlant(1, 1000 * "x"))
                    await harness.delete(1)

            async with asyncio.TaskGroup() as group:
                lists = [group.create_task(read_lists(number)) for number in range(3)]
                with closing(DataVersion(database_path(url))) as version:
                    await write_until(lambda: version.count_wal_bytes() > BOUND)
                    await write_until(lambda: version.count_wal_bytes() < BOUND)
                for task in lists:
                    task.cancel()
    assert aborted
    assert not any(aborted)


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("grace", "bound", "rest"), [(1000.0, BOUND, 0.0), (0.0, BOUND, 0.0), (0.0, BOUND // 50, 0.05)]
)
async def test_a_list_that_has_just_begun_is_not_aborted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, grace: float, bound: int, rest: float
) -> None:
    """It may be another store's than the one that fills the WAL, in whatever time."""
    monkeypatch.setattr("plantstore.sqlite.snapshot._INTERVAL", 0.02)
    monkeypatch.setattr("plantstore.sqlite.snapshot._GRACE", grace)
    url = create_sqlite(tmp_path)
    with closing(open_administration(url)) as administration:
        async with DatabaseHarness(url, administration, max_wal_size=bound) as harness:
            snapshot = await harness.database.open_snapshot(harness.store_id)
            assert isinstance(snapshot, SQLiteSnapshot)
            with closing(DataVersion(database_path(url))) as version:
                while version.count_wal_bytes() < 8 * BOUND and not snapshot.is_aborted:
                    await harness.create(NewPlant(1, 1000 * "x"))
                    await harness.delete(1)
                    await asyncio.sleep(rest)
            assert snapshot.is_aborted == (not grace)
            await snapshot.close()


@pytest.mark.anyio
async def test_only_the_store_of_an_aborted_list_waits_until_the_wal_restarts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("plantstore.sqlite.snapshot._GRACE", 1.0)
    url = create_sqlite(tmp_path)
    with closing(open_administration(url)) as administration:
        async with DatabaseHarness(url, administration, max_wal_size=BOUND // 50) as harness:

            async def write() -> None:
                while True:
                    await harness.create(NewPlant(1, 1000 * "x"))
                    await harness.delete(1)

            store, opened = harness.store_id, harness.database.open_snapshot
            slow = await opened(store)
            writing = asyncio.create_task(write())
            await asyncio.sleep(0.8)  # the WAL is over its bound and grows
            other = await asyncio.wait_for(opened(store + 1), 0.5)
            while isinstance(slow, SQLiteSnapshot) and not slow.is_aborted:  # noqa: ASYNC110
                await asyncio.sleep(0.01)
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(opened(store), 0.3)
            await other.close()
            await slow.close()
            again = await asyncio.wait_for(opened(store), 5)
            await again.close()
            writing.cancel()
            await asyncio.wait([writing])


@pytest.mark.anyio
async def test_the_wal_restarts_although_another_worker_commits_as_soon_as_it_may(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = create_sqlite(tmp_path)
    path, release, sizes = database_path(url), FileLock.release, set[int]()
    with closing(open_administration(url)) as administration, closing(connect(path)) as other:
        schema = other.pragma("user_version")
        with closing(DataVersion(path)) as version:

            def release_to_another_worker(lock: FileLock) -> None:
                release(lock)
                other.pragma("user_version", schema)  # writes a page
                sizes.add(version.count_wal_bytes())

            async with DatabaseHarness(url, administration) as harness:
                monkeypatch.setattr("plantstore.sqlite.writer._CHECKPOINT_PAGES", 1)
                monkeypatch.setattr(FileLock, "release", release_to_another_worker)
                for number in range(10):
                    await harness.create(NewPlant(number, "Aloe"))
            assert sizes == {other.pragma("page_size")}
