"""The database in a file: writes end, damage is noticed, and nothing stays open."""

import asyncio
import gc
import time
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from plantstore.core.database import Create, Delete
from plantstore.core.errors import DatabaseUnavailableError, OutcomeUnknownError
from plantstore.core.model import NewPlant, Outcome
from plantstore.core.pools import WriteQueue
from plantstore.core.settings import Settings
from plantstore.sqlite.connection import connect
from plantstore.sqlite.database import SQLiteDatabase
from plantstore.sqlite.writer import Writer
from tests.sqlite.writes import ADA, create

pytestmark = pytest.mark.anyio


async def test_a_writer_that_another_program_keeps_out_recovers(
    url: str, connection: apsw.Connection
) -> None:
    """Another program knows nothing of our lock; SQLite's own waiting ends after a time."""
    database = SQLiteDatabase(Settings(database=url))
    connection.execute("BEGIN IMMEDIATE")
    write = asyncio.ensure_future(database.write(Create(1, ADA, NewPlant(1, "Ficus"), None)))
    with pytest.raises(DatabaseUnavailableError):
        await asyncio.wait_for(write, 30)
    connection.execute("COMMIT")
    plant = NewPlant(1, "Ficus")
    assert await database.write(Create(1, ADA, plant, None)) == (Outcome.CREATED, 1)
    await database.close()


async def test_a_damaged_index_breaks_it(url: str) -> None:
    """SQLite tells of it with a code of its own."""
    path = Path(url.removeprefix("sqlite:///"))
    change_condition_of_index(path, "tag IS NOT NULL", "tag IS NULL")
    with closing(connect(path)) as connection:
        connection.execute(
            "INSERT INTO plants (store_id, id, name, tag) VALUES (1, 1, 'Ficus', 'not in index')"
        )
    change_condition_of_index(path, "tag IS NULL", "tag IS NOT NULL")
    database = SQLiteDatabase(Settings(database=url))
    with pytest.raises(OutcomeUnknownError):
        await database.write(Delete(1, ADA, 1))
    with pytest.raises(DatabaseUnavailableError):
        await database.check()
    assert isinstance(await asyncio.wait_for(database.wait_until_broken(), 5), apsw.CorruptError)
    await database.close()


def change_condition_of_index(path: Path, before: str, after: str) -> None:
    with closing(connect(path)) as connection:
        connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 0)
        connection.execute("PRAGMA writable_schema = ON")
        change = "UPDATE sqlite_schema SET sql = replace(sql, ?, ?) WHERE name = 'plants_by_tag'"
        connection.execute(change, (before, after))


async def test_a_close_waits_for_what_is_being_committed_and_what_is_queued(
    url: str, connection: apsw.Connection
) -> None:
    connection.execute("SELECT name FROM stores").get  # noqa: B018 - the first read, as a service's
    writer = Writer(Path(url.removeprefix("sqlite:///")), WriteQueue(Settings(max_writes=64)), 10)
    first = [writer.submit(create(number)) for number in range(10)]
    while writer.queue_depth:  # noqa: ASYNC110 - until the first batch runs
        await asyncio.sleep(0)
    later = [writer.submit(create(number)) for number in range(10, 20)]
    assert await writer.close()
    written = [write.result() for write in first + later]
    assert written == [(Outcome.CREATED, revision) for revision in range(1, 21)]


def count_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


async def test_snapshots_that_cannot_be_opened_leave_no_connections(
    url: str, connection: apsw.Connection, request: pytest.FixtureRequest
) -> None:
    gc.disable()  # as in the service, where it is seldom
    request.addfinalizer(gc.enable)
    database = SQLiteDatabase(Settings(database=url))
    connection.execute("ALTER TABLE revisions RENAME TO lost")
    before = count_files()
    for _ in range(10):
        with pytest.raises(DatabaseUnavailableError):
            await database.open_snapshot(1)
    deadline = time.monotonic() + 10
    while count_files() > before + 5:  # SQLite keeps some for the next connection
        assert time.monotonic() < deadline
        await asyncio.sleep(0.01)
    await database.close()
