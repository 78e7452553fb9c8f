"""Idempotency keys and the times of events, also when the clock jumps."""

import asyncio
from contextlib import closing
from dataclasses import dataclass

import pytest

from plantstore.bootstrap import create_app
from plantstore.core.clock import DAY_MS, now
from plantstore.core.model import IdempotencyKey, NewPlant, Outcome
from plantstore.core.settings import Settings
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


@pytest.mark.parametrize("jump", [-YEAR, -60_000, 2 * DAY_MS, YEAR])
async def test_keys_apply_whatever_the_clock_says(
    harness: DatabaseHarness, clock: Clock, jump: int
) -> None:
    await create(harness, 1, "key")
    clock.now += jump
    assert await create(harness, 1, "key") is Outcome.REPLAYED
    assert await create(harness, 2, "key", b"y") is Outcome.KEY_REUSED
    assert await create(harness, 2, "second") is Outcome.CREATED
    clock.now -= jump
    assert await create(harness, 2, "second") is Outcome.REPLAYED


async def test_events_have_the_times_of_the_clock(harness: DatabaseHarness, clock: Clock) -> None:
    began = clock.now
    for number, jump in enumerate((0, 1000, -YEAR, 2 * YEAR, -YEAR)):
        clock.now += jump
        await harness.create(NewPlant(number, "Ficus"))
    times = [event.at - began for event in harness.read_events()]
    assert times == [0, 1000, 1000 - YEAR, 1000 + YEAR, 1000]


async def test_a_failed_create_leaves_its_key_unused(harness: DatabaseHarness) -> None:
    with pytest.raises(UnicodeEncodeError):
        await harness.create(NewPlant(1, "\ud800"), IdempotencyKey("key", 32 * b"x"))
    assert await create(harness, 1, "key", b"y") is Outcome.CREATED


async def test_the_service_deletes_keys_after_a_day_even_if_its_clock_is_ahead(
    harness: DatabaseHarness, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There are more old keys than one step deletes."""
    sql = "INSERT INTO idempotency_keys VALUES ($1, $2, $3, $4, 'created', $5)"
    store_id, user_id = harness.store_id, harness.owner.user_id
    old = [(store_id, user_id, f"old-{number}", 32 * b"x", number) for number in range(1100)]
    young = now() - DAY_MS + 3_600_000
    execute(url, sql, [*old, (store_id, user_id, "young", 32 * b"x", young)])
    monkeypatch.setattr("plantstore.core.clock.SteadyClock.read", lambda _: now() + YEAR)
    app = await create_app(Settings(database=url), 0.0, 0)
    with closing(open_test_session(url)) as session:
        async with asyncio.timeout(30):
            while len(session.query("keys_of_store", store_id)) > 1:  # noqa: ASYNC110 - no event tells
                await asyncio.sleep(0.05)
        await app.close()
        assert session.query("keys_of_store", store_id) == [("young",)]
