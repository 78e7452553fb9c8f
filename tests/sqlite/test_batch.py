"""A batch is one transaction, whatever the clock does and whichever write fails."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import apsw
import pytest

from plantstore.core.database import KEY_LIFETIME_MS, Create, Write
from plantstore.core.model import NewPlant, Outcome
from plantstore.sqlite.batch import BatchWriter
from tests.sqlite.writes import ADA, count, create

NOW = 1_800_000_000_000
WriteBatch = Callable[..., list[Outcome]]
YEAR = 365 * 24 * 3600 * 1000


@dataclass
class Clock:
    """A clock that a test sets, in Unix milliseconds."""

    now: int = NOW


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def write(connection: apsw.Connection, clock: Clock) -> WriteBatch:
    """Writes a whole batch; the outcomes."""
    writer = BatchWriter(connection, lambda: clock.now / 1000)

    def write_batch(*writes: Write) -> list[Outcome]:
        try:
            writer.begin()
            outcomes = [outcome for outcome, _ in map(writer.apply, writes)]
            writer.finish()
            writer.commit()
        except BaseException:
            writer.roll_back()
            raise
        return outcomes

    return write_batch


def test_an_error_leaves_nothing_of_the_batch(
    write: WriteBatch, connection: apsw.Connection
) -> None:
    bad = Create(1, ADA, NewPlant(2, "\ud800"), None)
    with pytest.raises(UnicodeEncodeError):
        write(create(1, "key"), bad)
    assert not connection.in_transaction
    for table in ("plants", "events", "idempotency_keys"):
        assert count(connection, table) == 0
    assert write(create(1, "key")) == [Outcome.CREATED]
    assert connection.execute("SELECT revision FROM revisions WHERE store_id = 1").get == 1


def test_a_replay_does_not_lengthen_a_keys_life(write: WriteBatch, clock: Clock) -> None:
    write(create(1, "key"))
    clock.now += KEY_LIFETIME_MS - 1
    write(create(1, "key"))
    clock.now += 1
    assert write(create(1, "key")) == [Outcome.ALREADY_STORED]


@pytest.mark.parametrize("jump", [-1, -60_000, -YEAR])
def test_a_clock_that_is_set_back_forgets_no_key(
    write: WriteBatch, clock: Clock, jump: int
) -> None:
    write(create(1, "key"))
    clock.now += jump
    assert write(create(1, "key")) == [Outcome.REPLAYED]
    assert write(create(2, "key", b"other")) == [Outcome.KEY_REUSED]
    assert write(create(2, "second")) == [Outcome.CREATED]
    clock.now -= jump
    assert write(create(2, "second")) == [
        Outcome.REPLAYED if -jump < KEY_LIFETIME_MS else Outcome.ALREADY_STORED
    ]


def test_events_have_the_times_that_the_clock_gave(
    write: WriteBatch, clock: Clock, connection: apsw.Connection
) -> None:
    for number, jump in enumerate((0, 1000, -YEAR, 2 * YEAR, -YEAR)):
        clock.now += jump
        write(create(number))
    times: list[Any] = connection.execute("SELECT at FROM events ORDER BY revision").fetchall()
    assert [time[0] - NOW for time in times] == [0, 1000, 1000 - YEAR, 1000 + YEAR, 1000]


def test_keys_are_removed_after_a_clock_was_set_back(
    write: WriteBatch, clock: Clock, connection: apsw.Connection
) -> None:
    clock.now += YEAR  # wrong, until it is set right
    write(create(1))
    clock.now -= YEAR
    write(create(2, "key"))
    clock.now += KEY_LIFETIME_MS + 60_000
    write(create(3))
    assert count(connection, "idempotency_keys") == 0
