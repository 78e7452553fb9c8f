"""Commits of all processes are detected at once, without disturbing SQLite's locks."""

import multiprocessing
import subprocess
from collections.abc import Iterator
from contextlib import closing
from multiprocessing.connection import Connection
from pathlib import Path

import pytest
from msgspec.structs import replace

from plantstore.core.clock import now
from plantstore.core.errors import DatabaseUnavailableError
from plantstore.core.model import Grant, NewPlant, Outcome
from plantstore.core.operations import Create
from plantstore.core.settings import Settings
from plantstore.core.tokens import hash_token
from plantstore.sqlite.connection import connect
from plantstore.sqlite.database import SQLiteDatabase
from tests.administration import open_administration
from tests.databases import create_sqlite, writes_held
from tests.waiting import wait_until

ALTERNATIONS = 1000
RAISE = "UPDATE revisions SET revision = revision + 1 WHERE store_id = 1 RETURNING revision"


def write_on_request(path: Path, pipe: Connection) -> None:
    """Run in another process: execute the statements from the pipe, and send their results."""
    with closing(connect(path)) as connection:
        connection.execute("PRAGMA synchronous = OFF")  # faster; commits are visible all the same
        while (statement := pipe.recv()) is not None:
            pipe.send(connection.execute(statement).get)


@pytest.fixture
def token(tmp_path: Path) -> bytes:
    with closing(open_administration(create_sqlite(tmp_path))) as administration:
        issued = administration.create_token(Grant(subject="ada", store="nursery"))
        return hash_token(issued.secret)


@pytest.fixture
def other(tmp_path: Path, token: bytes) -> Iterator[Connection]:
    """A pipe to another process that writes to the same database."""
    assert token
    spawning = multiprocessing.get_context("spawn")
    ours, theirs = spawning.Pipe()
    process = spawning.Process(target=write_on_request, args=(tmp_path / "plants.db", theirs))
    process.start()
    yield ours
    ours.send(None)
    process.join(30)
    assert process.exitcode == 0


@pytest.mark.anyio
async def test_each_commit_of_another_process_is_visible_immediately(
    tmp_path: Path, token: bytes, other: Connection
) -> None:
    database = SQLiteDatabase(Settings(database=f"sqlite:///{tmp_path / 'plants.db'}"))
    unchanged = database.data_version.read()
    for alternation in range(1, ALTERNATIONS + 1):
        other.send(RAISE)
        revision = other.recv()
        assert not unchanged()
        unchanged = database.data_version.read()
        caller = await database.find_caller(1, token, None)
        assert caller is not None
        assert caller.revision == revision == alternation
        if alternation % 250 == 0:  # moves the log to the file and restarts it
            other.send("PRAGMA wal_checkpoint(RESTART)")
            assert other.recv() is not None
        repeated = await database.find_caller(1, token, None)
        assert repeated is not None
        assert replace(repeated, unchanged=None) == replace(caller, unchanged=None)
    await database.close()


@pytest.mark.anyio
async def test_a_process_that_opens_and_closes_the_database_keeps_the_log(
    tmp_path: Path, token: bytes
) -> None:
    """Only the first process may clear the log's index, and only the last may remove the log."""
    database_url = f"sqlite:///{tmp_path / 'plants.db'}"
    database = SQLiteDatabase(Settings(database=database_url))
    for number in range(3):
        caller = await database.find_caller(1, token, None)
        assert caller is not None
        plant = NewPlant(number, "Ficus")
        outcome, _ = await database.write(Create(1, caller, plant, None))
        assert outcome is Outcome.CREATED
        before = describe_log(tmp_path)
        assert read_in_another_process(database_url) == number + 1
        assert describe_log(tmp_path) == before
    await database.close()
    assert read_in_another_process(database_url) == 3


@pytest.mark.anyio
async def test_write_token_uses_commits_only_if_there_are_new_uses(tmp_path: Path) -> None:
    url = create_sqlite(tmp_path)
    with closing(open_administration(url)) as administration:
        secret = administration.create_token(Grant(subject="ada", store="nursery")).secret
    database = SQLiteDatabase(Settings(database=url, write_timeout=0.01))
    key = (1, hash_token(secret), None)
    caller = await database.find_caller(*key)
    await database.write_token_uses()
    assert caller is not None
    assert not caller.unchanged()
    written = now()
    wait_until(lambda: now() > written)  # a use at the very same time would be no change
    caller = await database.find_caller(*key)
    assert caller is not None
    with writes_held(url), pytest.raises(DatabaseUnavailableError):
        await database.write_token_uses()
    assert caller.unchanged()
    await database.write_token_uses()  # the uses that could not be written were kept
    assert not caller.unchanged()
    unchanged = database.data_version.read()
    await database.write_token_uses()
    assert unchanged()
    await database.close()


def read_in_another_process(url: str) -> int:
    """The store's revision, read by another process that opens and closes the database."""
    with multiprocessing.get_context("spawn").Pool(1) as processes:
        revision: int = processes.apply(read_revision, (url,))
        return revision


def read_revision(url: str) -> int:
    with closing(open_administration(url)) as administration:
        (store,) = administration.list_stores()
        return store.revision


def describe_log(folder: Path) -> str:
    """Inode, size and checksum of the log and of its index's header.

    Read by another process: if this one opened and closed the files, it would drop its locks.
    """
    script = "stat -c '%i %s' plants.db-wal plants.db-shm; cksum plants.db-wal; "
    script += "head -c 96 plants.db-shm | cksum"
    result = subprocess.run(
        ["sh", "-c", script], cwd=folder, capture_output=True, check=True, timeout=30
    )
    return result.stdout.decode()
