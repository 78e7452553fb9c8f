"""What a database says of itself for metrics: commits, stores and plants, and what is open."""

import asyncio

import pytest

from plantstore.core.model import NewPlant, Outcome
from tests.contract.harness import DatabaseHarness

pytestmark = pytest.mark.anyio


async def test_all_stores_and_plants_are_counted(harness: DatabaseHarness) -> None:
    stores, plants = await harness.database.count_all()
    other = await harness.make_caller("orchard", "bob")
    await asyncio.gather(*(harness.create(NewPlant(number, "Fern")) for number in range(3)))
    await harness.create(NewPlant(1, "Fern"), caller=other)
    await harness.delete(2)
    assert await harness.database.count_all() == (stores + 1, plants + 3)


async def test_other_work_goes_on_while_they_are_counted(harness: DatabaseHarness) -> None:
    """Of 10^6 stores it takes some time."""
    counting = asyncio.ensure_future(harness.database.count_all())
    await asyncio.sleep(0)
    assert not counting.done()
    await counting


async def test_commits_are_observed_with_their_writes(harness: DatabaseHarness) -> None:
    sizes: list[int] = []
    harness.database.commit_observers.append(lambda writes, _seconds: sizes.append(writes))
    outcomes = await asyncio.gather(
        *(harness.create(NewPlant(number, "Fern")) for number in range(40))
    )
    assert outcomes == 40 * [Outcome.CREATED]
    assert sum(sizes) == 40
    assert len(sizes) < 40  # they go together


async def test_streams_are_measured(harness: DatabaseHarness) -> None:
    streams = ("streams",)
    assert harness.database.gauges()[streams] == 0
    snapshot = await harness.database.open_snapshot(harness.store_id)
    assert harness.database.gauges()[streams] == 1
    await snapshot.close()
    assert harness.database.gauges()[streams] == 0
