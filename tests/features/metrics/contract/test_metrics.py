"""What a database reports for metrics: stores, plants and open streams."""

import asyncio

import pytest

from plantstore.core.model import NewPlant
from tests.contract.harness import DatabaseHarness

pytestmark = pytest.mark.anyio


async def test_all_stores_and_plants_are_counted(harness: DatabaseHarness) -> None:
    ((stores, plants),) = await harness.database.read("count_all")
    other = await harness.make_caller("orchard", "bob")
    await asyncio.gather(*(harness.create(NewPlant(number, "Fern")) for number in range(3)))
    await harness.create(NewPlant(1, "Fern"), caller=other)
    await harness.delete(2)
    assert await harness.database.read("count_all") == [(stores + 1, plants + 3)]


async def test_open_streams_are_counted(harness: DatabaseHarness) -> None:
    streams = ("streams",)
    assert harness.database.gauges()[streams] == 0
    snapshot = await harness.database.open_snapshot(harness.store_id)
    assert harness.database.gauges()[streams] == 1
    await snapshot.close()
    assert harness.database.gauges()[streams] == 0
