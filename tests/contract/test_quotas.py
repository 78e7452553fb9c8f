"""A store holds no more plants than it may, and knows how many it holds."""

import asyncio
from collections import Counter

import pytest
from msgspec.structs import replace

from plantstore.core.model import IdempotencyKey, NewPlant, Outcome, PlantQuery
from tests.administration import Administration
from tests.contract.harness import DatabaseHarness

pytestmark = pytest.mark.anyio

KEY = IdempotencyKey("key", bytes(32))


def plants(count: int) -> list[NewPlant]:
    return [NewPlant(number, f"Plant {number}") for number in range(count)]


async def read_total(harness: DatabaseHarness) -> int:
    return (await harness.read_page(PlantQuery(limit=0))).total


async def test_of_many_at_once_as_many_are_created_as_there_is_room(
    harness: DatabaseHarness, administration: Administration
) -> None:
    administration.set_quota("nursery", 7)
    outcomes = await asyncio.gather(*(harness.create(plant) for plant in plants(100)))
    assert Counter(outcomes) == {Outcome.CREATED: 7, Outcome.STORE_FULL: 93}
    assert await read_total(harness) == len(await harness.read_plants()) == 7
    await harness.assert_consistency()


async def test_a_full_store_tells_of_a_plant_that_it_has(
    harness: DatabaseHarness, administration: Administration
) -> None:
    first, second = plants(2)
    await harness.create(first)
    administration.set_quota("nursery", 1)
    assert await harness.create(second) is Outcome.STORE_FULL
    assert await harness.create(first) is Outcome.ALREADY_STORED
    assert await harness.create(replace(first, name="Other")) is Outcome.ID_TAKEN


async def test_room_that_comes_back_is_used_also_with_the_same_key(
    harness: DatabaseHarness, administration: Administration
) -> None:
    first, second = plants(2)
    await harness.create(first)
    administration.set_quota("nursery", 1)
    assert await harness.create(second, KEY) is Outcome.STORE_FULL
    assert await harness.delete(first.id) is Outcome.DELETED
    assert await harness.create(second, KEY) is Outcome.CREATED
    assert await read_total(harness) == 1
    administration.set_quota("nursery", None)
    assert await harness.create(first) is Outcome.CREATED


async def test_a_quota_below_what_is_there_takes_nothing_away(
    harness: DatabaseHarness, administration: Administration
) -> None:
    for plant in plants(3):
        await harness.create(plant)
    administration.set_quota("nursery", 1)
    assert len(await harness.read_plants()) == 3
    assert await harness.create(NewPlant(9, "Fern")) is Outcome.STORE_FULL
