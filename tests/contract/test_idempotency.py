"""Idempotency keys and the times of events, also when the clock jumps."""

import asyncio
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
    clock = Clock(now())
    for writer in ("sqlite.batch", "postgres.writer"):
        monkeypatch.setattr(f"plantstore.{writer}.now", lambda: clock.now)
    return clock


async def create(
    harness: DatabaseHarness, plant_id: int, key: str, fingerprint: bytes = b"x"
) -> Outcome:
    return await harness.create(NewPlant(plant_id, "Ficus"), IdempotencyKey(key, 32 * fingerprint))


async def test_a_replay_does_not_extend_a_keys_lifetime(
    harness: DatabaseHarness, clock: Clock
) -> None:
    assert await create(harness, 1, "key") is Outcome.CREATED
    clock.now += KEY_LIFETIME_MS - 1
    assert await create(harness, 1, "key") is Outcome.REPLAYED
    clock.now += 1
    assert await create(harness, 1, "key") is Outcome.ALREADY_STORED


@pytest.mark.parametrize("jump", [-1, -60_000, -YEAR])
async def test_keys_survive_a_clock_that_is_set_back(
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


async def test_events_have_the_times_of_the_clock(harness: DatabaseHarness, clock: Clock) -> None:
    began = clock.now
    for number, jump in enumerate((0, 1000, -YEAR, 2 * YEAR, -YEAR)):
        clock.now += jump
        await harness.create(NewPlant(number, "Ficus"))
    times = [event.at - began for event in harness.read_events()]
    assert times == [0, 1000, 1000 - YEAR, 1000 + YEAR, 1000]


async def test_old_keys_are_deleted_after_the_clock_was_set_back(
    harness: DatabaseHarness, clock: Clock, url: str
) -> None:
    clock.now += YEAR  # wrong until it is set back
    await harness.create(NewPlant(1, "Ficus"))
    clock.now -= YEAR
    await create(harness, 2, "key")
    clock.now += KEY_LIFETIME_MS + 60_000
    await harness.create(NewPlant(3, "Ficus"))
    with closing(open_test_session(url)) as session:
        assert session.query("keys_of_store", harness.store_id) == []


async def test_a_failed_create_leaves_its_key_unused(harness: DatabaseHarness) -> None:
    with pytest.raises(UnicodeEncodeError):
        await harness.create(NewPlant(1, "\ud800"), IdempotencyKey("key", 32 * b"x"))
    assert await create(harness, 1, "key", b"y") is Outcome.CREATED


async def test_a_backlog_of_old_keys_is_deleted(harness: DatabaseHarness, url: str) -> None:
    """Each batch deletes a few, since it waits for that, but more than it adds."""
    sql = "INSERT INTO idempotency_keys VALUES ($1, $2, $3, $4, 'created', $5)"
    store_id, user_id = harness.store_id, harness.owner.user_id
    rows = [(store_id, user_id, f"old-{number}", 32 * b"x", number) for number in range(500)]
    execute(url, sql, rows)
    with closing(open_test_session(url)) as session:
        for number, left in enumerate((482, 464)):
            assert await create(harness, number, f"new-{number}") is Outcome.CREATED
            kept = session.query("keys_of_store", store_id)
            assert len([key for (key, *_) in kept if key.startswith("old")]) == left
        batch = (create(harness, number, f"new-{number}") for number in range(2, 250))
        await asyncio.gather(*batch)
        await create(harness, 250, "last")
        assert len(session.query("keys_of_store", store_id)) == 251
