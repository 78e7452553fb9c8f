"""Slow long lists do not let the WAL grow without limit."""

import asyncio
from collections.abc import Callable
from contextlib import ExitStack, closing, suppress
from pathlib import Path

import httpx
import pytest

from plantstore.core.model import NewPlant
from plantstore.sqlite.connection import database_path
from plantstore.sqlite.data_version import DataVersion
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
async def test_lists_that_overlap_do_not_keep_the_wal_and_are_not_aborted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("plantstore.sqlite.snapshot._INTERVAL", 0.5)
    url = create_sqlite(tmp_path)
    with closing(open_administration(url)) as administration:
        async with DatabaseHarness(url, administration, max_wal_size=BOUND) as harness:
            aborted = list[bool]()

            async def read_lists() -> None:
                while True:
                    snapshot = await harness.database.open_snapshot(harness.store_id)
                    assert isinstance(snapshot, SQLiteSnapshot)
                    for number in range(10):  # meanwhile, other lists end
                        await harness.create(NewPlant(number, 1000 * "x"))
                        await harness.delete(number)
                    aborted.append(snapshot.is_aborted)
                    await snapshot.close()

            async with asyncio.TaskGroup() as group:
                lists = [group.create_task(read_lists()) for _ in range(3)]
                with closing(DataVersion(database_path(url))) as version:
                    while version.count_wal_bytes() < BOUND:  # noqa: ASYNC110 - it is memory
                        await asyncio.sleep(0)
                    while version.count_wal_bytes() > BOUND:  # noqa: ASYNC110 - as above
                        await asyncio.sleep(0)
                for task in lists:
                    task.cancel()
    assert aborted
    assert not any(aborted)
