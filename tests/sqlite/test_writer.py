"""One thread commits what waits: no write is forgotten, none fails because of another."""

import asyncio
import itertools
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from types import FrameType
from typing import Any, Self

import apsw
import pytest

from plantstore.errors import DatabaseUnavailableError, OutcomeUnknownError
from plantstore.model import NewPlant, Outcome
from plantstore.settings import Settings
from plantstore.sqlite.connection import connect, open_lock
from plantstore.sqlite.database import SQLiteDatabase
from plantstore.sqlite.writer import Writer
from tests.databases import writes_held
from tests.sqlite.writes import ADA, count, create


@pytest.mark.anyio
async def test_a_store_that_cannot_be_written_does_not_fail_its_neighbours(
    url: str, connection: apsw.Connection
) -> None:
    connection.execute(  # the event that the next change of store 1 would have
        "INSERT INTO events VALUES (1, 1, 'plant.created', 9, 'in the way', NULL, 0, 1, '')"
    )
    database = SQLiteDatabase(Settings(database=url))
    writes = [
        database.create_plant(1 + number % 2, ADA, NewPlant(number, "Ficus"), None)
        for number in range(40)
    ]
    results = await asyncio.gather(*writes, return_exceptions=True)
    assert results[1::2] == 20 * [Outcome.CREATED]
    assert all(isinstance(result, Exception) for result in results[::2])
    await database.check()
    await database.close()


@pytest.mark.anyio
async def test_a_writer_that_another_program_keeps_out_recovers(
    url: str, connection: apsw.Connection
) -> None:
    """Another program knows nothing of our lock; SQLite's own waiting ends after a time."""
    database = SQLiteDatabase(Settings(database=url))
    connection.execute("BEGIN IMMEDIATE")
    write = asyncio.ensure_future(database.create_plant(1, ADA, NewPlant(1, "Ficus"), None))
    with pytest.raises(DatabaseUnavailableError):
        await asyncio.wait_for(write, 30)
    connection.execute("COMMIT")
    plant = NewPlant(1, "Ficus")
    assert await database.create_plant(1, ADA, plant, None) is Outcome.CREATED
    await database.close()


@pytest.mark.anyio
async def test_it_is_not_ready_while_no_write_comes_through(url: str) -> None:
    database = SQLiteDatabase(Settings(database=url, write_timeout=0.3))
    with writes_held(url):
        with pytest.raises(DatabaseUnavailableError):
            await database.create_plant(1, ADA, NewPlant(1, "Ficus"), None)
        with pytest.raises(DatabaseUnavailableError):
            await database.check()
    assert await database.create_plant(1, ADA, NewPlant(1, "Ficus"), None) is Outcome.CREATED
    await database.check()
    await database.close()


@pytest.mark.anyio
async def test_a_damaged_index_breaks_it(url: str) -> None:
    """SQLite tells of it with a code of its own."""
    path = Path(url.removeprefix("sqlite:///"))
    change_condition_of_index(path, "tag IS NOT NULL", "tag IS NULL")
    with closing(connect(path)) as connection:
        connection.execute("INSERT INTO plants VALUES (1, 1, 'Ficus', 'missing in the index')")
    change_condition_of_index(path, "tag IS NULL", "tag IS NOT NULL")
    database = SQLiteDatabase(Settings(database=url))
    with pytest.raises(OutcomeUnknownError):
        await database.delete_plant(1, ADA, 1)
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


class HoldUp:
    """Holds this thread up before the n-th line that a function comes to, to release a lock.

    It goes on when the writer's thread, which waited for the lock, waits for the next write.
    """

    def __init__(self, function: str, line: int, lock: ExitStack) -> None:
        self._function = function
        self._lines_left = line
        self._lock = lock
        self.happened = False

    def __enter__(self) -> Self:
        sys.settrace(self._trace)
        return self

    def __exit__(self, *_: object) -> None:
        sys.settrace(None)

    def _trace(self, frame: FrameType, event: str, _argument: object) -> Any:  # noqa: ANN401 - its own type
        if frame.f_code.co_qualname != self._function:
            return None
        if event == "line":
            self._lines_left -= 1
            if self._lines_left == 0:
                self.happened = True
                self._lock.close()
                wait_for_writer("Condition.wait", "Condition.__enter__")
        return self._trace


def wait_for_writer(*functions: str) -> None:
    """Wait until the writer's thread stays in one of the functions."""
    (thread,) = (thread for thread in threading.enumerate() if thread.name == "writer")
    assert thread.ident is not None
    deadline = time.monotonic() + 30
    seen = 0
    while seen < 5:  # it may only pass
        assert time.monotonic() < deadline
        time.sleep(0.005)
        frame = sys._current_frames()[thread.ident]  # noqa: SLF001 - there is no other way to see it
        seen = seen + 1 if frame.f_code.co_qualname in functions else 0


@contextmanager
def writer_behind_a_lock(url: str, seconds: float) -> Iterator[tuple[Writer, ExitStack]]:
    """A writer, and the lock that it is kept out with until it is closed."""
    path = Path(url.removeprefix("sqlite:///"))
    writer = Writer(path, 2, seconds)
    with open_lock(path) as lock, ExitStack() as stack:
        stack.enter_context(lock.held())
        yield writer, stack


@pytest.mark.anyio
async def test_no_write_is_forgotten_wherever_the_loop_is_held_up(
    url: str, connection: apsw.Connection
) -> None:
    """In the midst of a submission the writer's thread may take and commit the write before."""
    for line in itertools.count(1):
        with writer_behind_a_lock(url, 30) as (writer, stack):
            first = writer.submit(create(2 * line))
            await asyncio.sleep(0)
            wait_for_writer("FileLock.held")
            with HoldUp("Writer.submit", line, stack) as hold_up:
                second = writer.submit(create(2 * line + 1))
        for write in (first, second):
            assert await asyncio.wait_for(write, 30) is Outcome.CREATED
        assert await writer.close()
        if not hold_up.happened:  # there are no more lines
            break
    assert line > 5
    assert count(connection, "plants") == 2 * line


@pytest.mark.anyio
async def test_it_is_ready_again_wherever_the_loop_is_held_up(url: str) -> None:
    """While late writes are given up the thread may get the lock, and have none left to take."""
    for line in itertools.count(1):
        with writer_behind_a_lock(url, 0.01) as (writer, stack):
            late = writer.submit(create(line))
            await asyncio.sleep(0)
            wait_for_writer("FileLock.held")
            with HoldUp("Writer._give_up_late", line, stack) as hold_up:
                await asyncio.gather(late, return_exceptions=True)
        wait_for_writer("Condition.wait")
        writer.require_working()
        assert await writer.close()
        if not hold_up.happened:
            break
    assert line > 4
