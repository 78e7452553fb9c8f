"""A snapshot is a store's contents at one moment."""

from itertools import product

import pytest
from msgspec.structs import replace

from plantstore.core.database import Snapshot
from plantstore.core.model import NewPlant, PlantQuery
from plantstore.http.list_parameters import LIMIT_MAX
from tests.administration import Administration
from tests.contract.harness import MANY, DatabaseHarness, decode, describe, select, with_settings

pytestmark = pytest.mark.anyio

PLANTS = [NewPlant(3 * n - 30, f"Plant {n}", [None, "a", "b"][n % 3]) for n in range(40)]


async def read_all(
    snapshot: Snapshot, query: PlantQuery, max_plants: int
) -> list[dict[str, object]]:
    """All rows of a list, read page by page."""
    rows: list[dict[str, object]] = []
    remaining = query.limit
    while True:
        page = await snapshot.read_page(replace(query, limit=remaining), max_plants)
        assert page.revision == snapshot.revision
        rows += decode(page)
        remaining = None if remaining is None else remaining - page.count
        if not page.more or remaining == 0:
            return rows
        query = replace(query, first_id=page.last_id + 1)


async def test_a_snapshot_finds_the_last_id_of_a_limited_list(harness: DatabaseHarness) -> None:
    await harness.create_all(PLANTS)
    snapshot = await harness.database.open_snapshot(harness.store_id)
    try:
        limits = (None, 0, 1, 13, 14, 39, 40, 41, LIMIT_MAX)
        for limit, first_id, tags in product(
            limits, (-31, -5, 87, 88), ((), ("a",), ("absent", "b", "a"))
        ):
            query = PlantQuery(limit=limit, first_id=first_id, tags=tags)
            listed = select(PLANTS, query)
            matching = select(PLANTS, replace(query, limit=None))
            expected = listed[-1].id if listed and len(matching) > len(listed) else None
            assert await snapshot.find_last_id(query) == expected
            rows = await read_all(snapshot, query, 6)
            assert rows == [describe(plant, with_ids=query.with_ids) for plant in listed]
    finally:
        await snapshot.close()


async def test_a_snapshot_outlives_its_store(
    harness: DatabaseHarness, administration: Administration
) -> None:
    await harness.create_all(PLANTS)
    snapshot = await harness.database.open_snapshot(harness.store_id)
    administration.delete_store("nursery")
    assert len(await read_all(snapshot, PlantQuery(), 7)) == len(PLANTS)
    await snapshot.close()


async def test_a_snapshot_of_a_missing_store_is_empty(harness: DatabaseHarness) -> None:
    snapshot = await harness.database.open_snapshot(62**10 - 1)
    assert (snapshot.revision, await read_all(snapshot, PlantQuery(), MANY)) == (0, [])
    assert await snapshot.find_last_id(PlantQuery(limit=1)) is None
    await snapshot.close()


@with_settings(max_streams=1)
async def test_closing_a_snapshot_twice_frees_one_stream(harness: DatabaseHarness) -> None:
    for _ in range(3):
        snapshot = await harness.database.open_snapshot(harness.store_id)
        await snapshot.close()
        await snapshot.close()
    last = await harness.database.open_snapshot(harness.store_id)
    assert harness.database.gauges()["streams",] == 1
    await last.close()


async def test_a_database_closes_with_snapshots_open(harness: DatabaseHarness) -> None:
    await harness.create_all(PLANTS)
    snapshot = await harness.database.open_snapshot(harness.store_id)
    await snapshot.read_page(PlantQuery(), 1)
