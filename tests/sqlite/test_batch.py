"""A batch is one transaction, whatever the clock does and whoever is at fault in it."""

import asyncio
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import apsw
import pytest

from plantstore.bootstrap import open_administration
from plantstore.errors import DatabaseUnavailableError
from plantstore.model import Caller, IdempotencyKey, NewPlant, Outcome, Role, Scope, TokenRequest
from plantstore.settings import Settings
from plantstore.sql.writes import KEY_LIFETIME_MS, Create, Delete
from plantstore.sqlite.batch import BatchWriter
from plantstore.sqlite.connection import connect
from plantstore.sqlite.database import SQLiteDatabase

ADA = Caller(
    user_id=1,
    token_label="",
    expires_at=None,
    store_id=1,
    role=Role.OWNER,
    permissions=frozenset(Scope),
    revision=0,
)
NOW = 1_800_000_000_000
YEAR = 365 * 24 * 3600 * 1000


@pytest.fixture
def anyio_backend() -> str:
    """The event loop of asynchronous tests."""
    return "asyncio"


class Clock:
    """A clock that a test sets, in Unix milliseconds."""

    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> int:
        """The time."""
        return self.now


@pytest.fixture
def clock() -> Clock:
    """The clock of the batches."""
    return Clock()


@pytest.fixture
def url(tmp_path: Path) -> str:
    """A database with the stores 1 and 2, both ada's."""
    url = f"sqlite:///{tmp_path / 'plants.db'}"
    with closing(open_administration(url)) as administration:
        for store in ("nursery", "orchard"):
            administration.create_token(TokenRequest(subject="ada", store=store))
    return url


@pytest.fixture
def connection(url: str) -> Iterator[apsw.Connection]:
    """A connection to it."""
    with closing(connect(Path(url.removeprefix("sqlite:///")))) as opened:
        yield opened


@pytest.fixture
def batches(connection: apsw.Connection, clock: Clock) -> BatchWriter:
    """Writes batches to it."""
    return BatchWriter(connection, clock)


def create(plant_id: int, key: str | None = None, body: bytes = b"body") -> Create:
    found = None if key is None else IdempotencyKey(key, body.ljust(32))
    return Create(1, ADA, NewPlant(plant_id, "Ficus"), found)


def count(connection: apsw.Connection, table: str) -> int:
    found: int = connection.execute(f"SELECT count(*) FROM {table}").get
    return found


def test_a_batch_is_applied_in_its_order(batches: BatchWriter) -> None:
    outcomes = batches.write([create(1), create(1), Delete(1, ADA, 1), create(1)])
    assert outcomes == [
        Outcome.CREATED,
        Outcome.ALREADY_STORED,
        Outcome.DELETED,
        Outcome.CREATED,
    ]


def test_an_error_leaves_nothing_of_the_batch(
    batches: BatchWriter, connection: apsw.Connection
) -> None:
    bad = Create(1, ADA, NewPlant(2, "\ud800"), None)
    with pytest.raises(UnicodeEncodeError):
        batches.write([create(1, "key"), bad])
    assert not connection.in_transaction
    for table in ("plants", "events", "idempotency_keys"):
        assert count(connection, table) == 0
    assert batches.write([create(1, "key")]) == [Outcome.CREATED]
    assert connection.execute("SELECT revision FROM stores WHERE store_id = 1").get == 1


def test_a_key_is_kept_for_24_hours(batches: BatchWriter, clock: Clock) -> None:
    batches.write([create(1, "key")])
    clock.now += KEY_LIFETIME_MS - 1
    assert batches.write([create(1, "key"), create(2, "key", b"other")]) == [
        Outcome.CREATED,
        Outcome.KEY_REUSED,
    ]
    clock.now += 1
    assert batches.write([create(2, "key", b"other")]) == [Outcome.CREATED]
    assert batches.write([create(1, "key")]) == [Outcome.KEY_REUSED]


def test_a_replay_does_not_lengthen_a_keys_life(batches: BatchWriter, clock: Clock) -> None:
    batches.write([create(1, "key")])
    clock.now += KEY_LIFETIME_MS - 1
    batches.write([create(1, "key")])
    clock.now += 1
    assert batches.write([create(1, "key")]) == [Outcome.ALREADY_STORED]


@pytest.mark.parametrize("jump", [-1, -60_000, -YEAR])
def test_a_clock_that_is_set_back_forgets_no_key(
    batches: BatchWriter, clock: Clock, jump: int
) -> None:
    batches.write([create(1, "key")])
    clock.now += jump
    assert batches.write([create(1, "key")]) == [Outcome.CREATED]
    assert batches.write([create(2, "key", b"other")]) == [Outcome.KEY_REUSED]
    assert batches.write([create(2, "second")]) == [Outcome.CREATED]
    clock.now -= jump
    assert batches.write([create(2, "second")]) == [
        Outcome.CREATED if -jump < KEY_LIFETIME_MS else Outcome.ALREADY_STORED
    ]


def test_events_have_the_times_that_the_clock_gave(
    batches: BatchWriter, clock: Clock, connection: apsw.Connection
) -> None:
    for number, jump in enumerate((0, 1000, -YEAR, 2 * YEAR, -YEAR)):
        clock.now += jump
        batches.write([create(number)])
    times: list[Any] = connection.execute("SELECT at FROM events ORDER BY revision").fetchall()
    assert [time[0] - NOW for time in times] == [0, 1000, 1000 - YEAR, 1000 + YEAR, 1000]


def test_old_keys_are_removed_little_by_little(
    batches: BatchWriter, clock: Clock, connection: apsw.Connection
) -> None:
    batches.write([create(number, f"key {number}") for number in range(2500)])
    clock.now += KEY_LIFETIME_MS
    left = []
    for number in range(4):
        batches.write([create(3000 + number)])
        left.append(count(connection, "idempotency_keys"))
        clock.now += 60_000
    assert left == [1500, 500, 0, 0]


def test_keys_are_removed_after_a_clock_was_set_back(
    batches: BatchWriter, clock: Clock, connection: apsw.Connection
) -> None:
    clock.now += YEAR  # wrong, until it is set right
    batches.write([create(1)])
    clock.now -= YEAR
    batches.write([create(2, "key")])
    clock.now += KEY_LIFETIME_MS + 60_000
    batches.write([create(3)])
    assert count(connection, "idempotency_keys") == 0


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
