"""One thread commits what waits: no write is forgotten, none fails because of another."""

import asyncio
import itertools
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack, closing
from pathlib import Path
from types import FrameType
from typing import Any

import apsw
import pytest

from plantstore.errors import DatabaseUnavailableError, OutcomeUnknownError
from plantstore.model import NewPlant, Outcome
from plantstore.settings import Settings
from plantstore.sqlite.connection import connect, open_lock
from plantstore.sqlite.database import SQLiteDatabase
from plantstore.sqlite.writer import Writer
from tests.databases import writes_held
from tests.sqlite.writes import ADA, create


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


def at_line(number: int, of: str, act: Callable[[], None]) -> Any:  # noqa: ANN401 - its own type
    """A trace function that acts before the line of this number that the function comes to."""
    lines = itertools.count()

    def trace(frame: FrameType, event: str, _argument: object) -> Any:  # noqa: ANN401
        if frame.f_code.co_qualname != of:
            return None
        if event == "line" and next(lines) == number:
            act()
        return trace

    return trace


@pytest.mark.anyio
@pytest.mark.parametrize("line", range(10))
async def test_no_write_is_forgotten_wherever_the_loop_is_held_up(url: str, line: int) -> None:
    """In the midst of a submission the writer's thread may take and commit the write before."""
    path = Path(url.removeprefix("sqlite:///"))
    writer = Writer(path, most_waiting=2, patience=10)
    with open_lock(path) as lock, ExitStack() as stack:
        stack.enter_context(lock.held())
        first = writer.submit(create(1))
        await asyncio.sleep(0.1)  # the thread is awake, and waits for the lock

        def hold_up() -> None:
            stack.close()
            time.sleep(0.2)  # it commits, and sleeps again

        sys.settrace(at_line(line, "Writer.submit", hold_up))
        second = writer.submit(create(2))
        sys.settrace(None)
    for write in (first, second):
        assert await asyncio.wait_for(write, 5) is Outcome.CREATED
    assert await writer.close()


@pytest.mark.anyio
@pytest.mark.parametrize("line", range(7))
async def test_it_is_ready_again_wherever_the_loop_is_held_up(url: str, line: int) -> None:
    """While late writes are given up the thread may get the lock, and have none left to take."""
    path = Path(url.removeprefix("sqlite:///"))
    writer = Writer(path, most_waiting=2, patience=0.3)
    with open_lock(path) as lock, ExitStack() as stack:
        stack.enter_context(lock.held())
        late = writer.submit(create(1))
        await asyncio.sleep(0.5)

        def hold_up() -> None:
            stack.close()
            time.sleep(0.2)  # it takes what is there, and sleeps again

        sys.settrace(at_line(line, "Writer._give_up_late", hold_up))
        await asyncio.gather(late, return_exceptions=True)
        sys.settrace(None)
    await asyncio.sleep(0.2)
    writer.demand_working()
    assert await writer.close()
