"""A key makes a create happen once; keys and events are right, whatever the clock does."""

from contextlib import closing
from dataclasses import dataclass

import pytest

from plantstore.core.clock import now
from plantstore.core.database import KEY_LIFETIME_MS
from plantstore.core.model import IdempotencyKey, NewPlant, Outcome
from tests.administration import open_test_session
from tests.contract.harness import DatabaseHarness
from tests.databases import execute

pytestmark = pytest.mark.anyio

YEAR = 365 * 24 * 3600 * 1000


@dataclass
class Clock:
    """The clock of a database, in Unix milliseconds, which a test sets."""

    now: int


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock(now())
    for writer in ("sqlite.batch", "postgres.writer"):
        monkeypatch.setattr(f"plantstore.{writer}.now", lambda: made.now)
    return made


async def create(
    harness: DatabaseHarness, plant_id: int, key: str, fingerprint: bytes = b"x"
) -> Outcome:
    return await harness.create(NewPlant(plant_id, "Ficus"), IdempotencyKey(key, 32 * fingerprint))


async def test_a_replay_does_not_lengthen_a_keys_life(
    harness: DatabaseHarness, clock: Clock
) -> None:
    assert await create(harness, 1, "key") is Outcome.CREATED
    clock.now += KEY_LIFETIME_MS - 1
    assert await create(harness, 1, "key") is Outcome.REPLAYED
    clock.now += 1
    assert await create(harness, 1, "key") is Outcome.ALREADY_STORED


@pytest.mark.parametrize("jump", [-1, -60_000, -YEAR])
async def test_a_clock_that_is_set_back_forgets_no_key(
    harness: DatabaseHarness, clock: Clock, jump: int
) -> None:
    await create(harness, 1, "key")
    clock.now += jump
    assert await create(harness, 1, "key") is Outcome.REPLAYED
    assert await create(harness, 2, "key", b"y") is Outcome.KEY_REUSED
    assert await create(harness, 2, "second") is Outcome.CREATED
    clock.now -= jump
    is_kept = -jump < KEY_LIFETIME_MS
    again = await create(harness, 2, "second")
    assert again is (Outcome.REPLAYED if is_kept else Outcome.ALREADY_STORED)


async def test_events_have_the_times_that_the_clock_gave(
    harness: DatabaseHarness, clock: Clock
) -> None:
    began = clock.now
    for number, jump in enumerate((0, 1000, -YEAR, 2 * YEAR, -YEAR)):
        clock.now += jump
        await harness.create(NewPlant(number, "Ficus"))
    times = [event.at - began for event in harness.read_events()]
    assert times == [0, 1000, 1000 - YEAR, 1000 + YEAR, 1000]


async def test_keys_are_removed_after_a_clock_was_set_back(
    harness: DatabaseHarness, clock: Clock, url: str
) -> None:
    clock.now += YEAR  # wrong, until it is set right
    await harness.create(NewPlant(1, "Ficus"))
    clock.now -= YEAR
    await create(harness, 2, "key")
    clock.now += KEY_LIFETIME_MS + 60_000
    await harness.create(NewPlant(3, "Ficus"))
    with closing(open_test_session(url)) as session:
        assert session.query("keys_of_store", harness.store_id) == []


async def test_a_create_that_failed_leaves_its_key_free(harness: DatabaseHarness) -> None:
    with pytest.raises(UnicodeEncodeError):
        await harness.create(NewPlant(1, "\ud800"), IdempotencyKey("key", 32 * b"x"))
    assert await create(harness, 1, "key", b"y") is Outcome.CREATED


async def test_old_keys_do_not_pile_up(harness: DatabaseHarness, url: str) -> None:
    """More grow old between two batches than one of them deletes."""
    sql = "INSERT INTO idempotency_keys VALUES ($1, $2, $3, $4, 'created', 0)"
    store_id, user_id = harness.store_id, harness.owner.user_id
    rows = [(store_id, user_id, f"old-{number}", 32 * b"x") for number in range(2500)]
    execute(url, sql, rows)
    for number in range(5):
        assert await harness.create(NewPlant(number, "Fern")) is Outcome.CREATED
    with closing(open_test_session(url)) as session:
        assert session.query("keys_of_store", store_id) == []
