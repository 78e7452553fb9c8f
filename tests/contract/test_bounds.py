"""Waiting writes are limited in time, and finish when the database closes."""

import asyncio
import math
import os

import pytest

from plantstore.core.errors import DatabaseUnavailableError, OverloadedError
from plantstore.core.model import IdempotencyKey, NewPlant, Outcome, PlantQuery
from tests.contract.harness import DatabaseHarness, with_settings
from tests.databases import writes_held

pytestmark = pytest.mark.anyio

SECONDS = "plantstore.core.write_queue._WRITE_SECONDS"  # of a commit: they add a write to the next
APPLYING = "plantstore.postgres.writer._APPLYING_SECONDS"
PAGES = "plantstore.sqlite.writer._PAGE_SECONDS"


@pytest.fixture
def fast_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SECONDS, math.inf)
    monkeypatch.setattr("plantstore.core.write_queue._NOTED_SECONDS", 0)
    monkeypatch.setattr("plantstore.core.write_queue._uneven_until", [0.0])


@pytest.mark.usefixtures("fast_disk")
async def test_among_others_a_store_has_a_share_of_each_batch(harness: DatabaseHarness) -> None:
    other = await harness.make_caller("orchard", "ben")
    sizes = list[int]()
    harness.database.writes.observers.append(lambda count, _: sizes.append(count))
    await harness.create_all([NewPlant(n, 1000 * "x") for n in range(20)])  # alone
    await harness.create(NewPlant(0, "Fern"), caller=other)
    long = [harness.create(NewPlant(n, 1000 * "x")) for n in range(20, 32)]
    short = [harness.create(NewPlant(n, "Fern")) for n in range(32, 50)]
    deletes = [harness.delete(n) for n in range(5)]  # of plants that may be long
    await asyncio.gather(*long, *short, *deletes)
    assert sizes == [20, 1, 3, 3, 3, 3, 12, 6 + 2, 3]
    assert [event.plant.id for event in harness.read_events()] == [*range(50), *range(5)]


@pytest.mark.parametrize(("name", "expected"), [(1000 * "🌿", [2, 2, 2]), (600 * "x", [4, 2])])
@pytest.mark.usefixtures("fast_disk")
async def test_among_others_the_longer_writes_are_the_fewer_share_a_batch(
    harness: DatabaseHarness, name: str, expected: list[int]
) -> None:
    other = await harness.make_caller("orchard", "ben")
    await harness.create(NewPlant(0, "Fern"), caller=other)
    await harness.create(NewPlant(0, "Fern"))
    sizes = list[int]()
    harness.database.writes.observers.append(lambda count, _: sizes.append(count))
    plants = [NewPlant(n, name, name[:256] if "🌿" in name else None) for n in range(1, 7)]
    await asyncio.gather(*map(harness.create, plants))
    assert sizes == expected


@pytest.mark.skipif("TEST_ON_CITUS" in os.environ, reason="there, a batch is of one store")
@pytest.mark.usefixtures("fast_disk")
async def test_batches_are_short_while_a_store_has_much_less_of_them_than_another(
    harness: DatabaseHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("plantstore.core.write_queue._UNEVEN_SECONDS", 60)
    monkeypatch.setattr("plantstore.core.write_queue._uneven_until", [0.0])
    other = await harness.make_caller("orchard", "ben")
    await harness.create(NewPlant(0, "Fern"), caller=other)
    await harness.create(NewPlant(0, "Fern"))
    sizes = list[int]()
    harness.database.writes.observers.append(lambda count, _: sizes.append(count))
    flood = [harness.create(NewPlant(n, "Fern")) for n in range(1, 41)]
    await asyncio.gather(*flood, harness.create(NewPlant(1, "Fern"), caller=other))
    assert sizes == [12 + 1, *7 * [4]]


@pytest.mark.skipif("TEST_ON_CITUS" in os.environ, reason="there, a batch is of one store")
@pytest.mark.usefixtures("fast_disk")
async def test_stores_share_a_batch_like_a_pool(
    harness: DatabaseHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("plantstore.core.write_queue._TIMES_MORE", math.inf)
    other, third = [await harness.make_caller(store, "ben") for store in ("orchard", "park")]
    sizes = list[int]()
    harness.database.writes.observers.append(lambda count, _: sizes.append(count))
    for caller in (other, third):
        await harness.create(NewPlant(0, "Fern"), caller=caller)
    floods = [harness.create(NewPlant(n, "Fern")) for n in range(1, 25)]
    floods += [harness.create(NewPlant(n, "Fern"), caller=other) for n in range(1, 25)]
    keys = [IdempotencyKey(str(n), bytes(32)) for n in range(24)]
    keyed = [harness.create(NewPlant(9, "Fern"), key, third) for key in keys]
    await asyncio.gather(*floods, *keyed)
    assert sizes[:4] == [1, 1, 12 + 6 + 1, 12 + 6 + 1]


@pytest.mark.parametrize("took_time", [None, APPLYING, PAGES])
async def test_on_a_slow_disk_stores_share_a_larger_batch(
    harness: DatabaseHarness, monkeypatch: pytest.MonkeyPatch, url: str, took_time: str | None
) -> None:
    """Or few writes would wait for each of its commits. Many writes make no disk slow."""
    monkeypatch.setattr(SECONDS, 1e-9)
    for constant in (APPLYING, PAGES):
        monkeypatch.setattr(constant, float(constant == took_time))
    is_slow = took_time in (None, PAGES if url.startswith("postgresql") else APPLYING)
    expected = [50, 50, 50] if is_slow else [*12 * [12], 6]
    other = await harness.make_caller("orchard", "ben")
    sizes = list[int]()
    harness.database.writes.observers.append(lambda count, _: sizes.append(count))
    for caller in (None, other):
        await harness.create(NewPlant(0, "Fern"), caller=caller)
    await asyncio.gather(*(harness.create(NewPlant(n, "Fern")) for n in range(1, 151)))
    assert sizes == [1, 1, *expected]  # a store alone has half


@with_settings(max_written_bytes=100_000)
async def test_a_store_may_write_half_of_the_bytes_per_minute(harness: DatabaseHarness) -> None:
    other = await harness.make_caller("orchard", "ben")
    fern = NewPlant(1, 1000 * "x")
    for _ in range(50_000 // 13_000):
        assert await harness.create(fern) is Outcome.CREATED
        await harness.delete(fern.id)
    assert await harness.create(fern) is Outcome.CREATED  # exceeds the half
    with pytest.raises(OverloadedError):
        await harness.delete(fern.id)
    assert await harness.create(fern, caller=other) is Outcome.CREATED
    harness.database.writes.bytes.clear()
    assert await harness.create(NewPlant(2, "Fern")) is Outcome.CREATED


@with_settings(write_timeout=0.3)
async def test_a_write_that_times_out_is_never_written(harness: DatabaseHarness, url: str) -> None:
    await harness.create(NewPlant(1, "Monstera"))
    key = IdempotencyKey("key", 32 * b"\x01")
    with writes_held(url):
        writes = [harness.create(NewPlant(2, "Ficus"), key), harness.delete(1)]
        results = await asyncio.gather(*writes, return_exceptions=True)
    assert [type(result) for result in results] == 2 * [DatabaseUnavailableError]
    again = await harness.create(NewPlant(2, "Ficus"), key)
    assert again is Outcome.CREATED
    await harness.database.check()
    assert await harness.read_plants() == [NewPlant(1, "Monstera"), NewPlant(2, "Ficus")]
    await harness.assert_consistency()


async def test_reads_continue_while_writes_wait(harness: DatabaseHarness, url: str) -> None:
    await harness.create(NewPlant(1, "Monstera"))
    with writes_held(url):
        waiting = asyncio.ensure_future(harness.create(NewPlant(2, "Ficus")))
        assert (await harness.read_page(PlantQuery())).count == 1
        snapshot = await harness.database.open_snapshot(harness.store_id)
        assert (await snapshot.read_page(PlantQuery(), 10)).count == 1
        await snapshot.close()
        await harness.database.check()
        assert not waiting.done()
    assert await waiting is Outcome.CREATED


async def test_closing_finishes_writes_in_flight(harness: DatabaseHarness, url: str) -> None:
    with writes_held(url):
        writes = [asyncio.ensure_future(harness.create(NewPlant(n, "Ficus"))) for n in range(20)]
        await asyncio.sleep(0)  # all are in the queue
        closing = asyncio.ensure_future(harness.database.close())
        await asyncio.sleep(0)
        assert not any(write.done() for write in writes)
    await closing
    assert [write.result() for write in writes] == 20 * [Outcome.CREATED]
    await harness.open()
    assert len(await harness.read_plants()) == 20
