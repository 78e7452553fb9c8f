"""A batch is one transaction, whatever the clock does and whichever write fails."""

from collections.abc import Sequence
from typing import Any

import apsw
import pytest

from plantstore.model import NewPlant, Outcome
from plantstore.sql.writes import KEY_LIFETIME_MS, Create, Write
from plantstore.sqlite.batch import BatchWriter
from tests.sqlite.writes import ADA, count, create

NOW = 1_800_000_000_000
YEAR = 365 * 24 * 3600 * 1000


class Clock:
    """A clock that a test sets, in Unix milliseconds; it gives seconds."""

    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> float:
        """The time."""
        return self.now / 1000


@pytest.fixture
def clock() -> Clock:
    """The clock of the batches."""
    return Clock()


class Batches:
    """Writes whole batches."""

    def __init__(self, connection: apsw.Connection, clock: Clock) -> None:
        self._writer = BatchWriter(connection, clock)

    def write(self, writes: Sequence[Write]) -> list[Outcome]:
        """Write all in one batch."""
        try:
            assert self._writer.try_begin()
            outcomes = [self._writer.apply(write) for write in writes]
            self._writer.finish()
            self._writer.commit()
        except BaseException:
            self._writer.roll_back()
            raise
        return outcomes


@pytest.fixture
def batches(connection: apsw.Connection, clock: Clock) -> Batches:
    """Writes batches to it."""
    return Batches(connection, clock)


def test_an_error_leaves_nothing_of_the_batch(
    batches: Batches, connection: apsw.Connection
) -> None:
    bad = Create(1, ADA, NewPlant(2, "\ud800"), None)
    with pytest.raises(UnicodeEncodeError):
        batches.write([create(1, "key"), bad])
    assert not connection.in_transaction
    for table in ("plants", "events", "idempotency_keys"):
        assert count(connection, table) == 0
    assert batches.write([create(1, "key")]) == [Outcome.CREATED]
    assert connection.execute("SELECT revision FROM stores WHERE store_id = 1").get == 1


def test_a_replay_does_not_lengthen_a_keys_life(batches: Batches, clock: Clock) -> None:
    batches.write([create(1, "key")])
    clock.now += KEY_LIFETIME_MS - 1
    batches.write([create(1, "key")])
    clock.now += 1
    assert batches.write([create(1, "key")]) == [Outcome.ALREADY_STORED]


@pytest.mark.parametrize("jump", [-1, -60_000, -YEAR])
def test_a_clock_that_is_set_back_forgets_no_key(batches: Batches, clock: Clock, jump: int) -> None:
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
    batches: Batches, clock: Clock, connection: apsw.Connection
) -> None:
    for number, jump in enumerate((0, 1000, -YEAR, 2 * YEAR, -YEAR)):
        clock.now += jump
        batches.write([create(number)])
    times: list[Any] = connection.execute("SELECT at FROM events ORDER BY revision").fetchall()
    assert [time[0] - NOW for time in times] == [0, 1000, 1000 - YEAR, 1000 + YEAR, 1000]


def test_keys_are_removed_after_a_clock_was_set_back(
    batches: Batches, clock: Clock, connection: apsw.Connection
) -> None:
    clock.now += YEAR  # wrong, until it is set right
    batches.write([create(1)])
    clock.now -= YEAR
    batches.write([create(2, "key")])
    clock.now += KEY_LIFETIME_MS + 60_000
    batches.write([create(3)])
    assert count(connection, "idempotency_keys") == 0
