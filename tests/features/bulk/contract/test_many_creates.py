"""Many creates at a time: each has an outcome of its own."""

from types import NoneType

import pytest

from plantstore.core.errors import AlreadyStoredError, IdTakenError, OverloadedError, StoreFullError
from plantstore.core.model import NewPlant
from plantstore.features.bulk.writes import create_plants
from tests.administration import Administration
from tests.contract.harness import DatabaseHarness

pytestmark = pytest.mark.anyio


def ferns(*ids: int) -> list[NewPlant]:
    """A plant for each id."""
    return [NewPlant(plant_id, "Fern") for plant_id in ids]


async def test_each_has_the_outcome_that_it_would_have_alone(
    harness: DatabaseHarness, administration: Administration
) -> None:
    await harness.create(NewPlant(1, "Fern"))
    administration.set_quota("nursery", 3)
    plants = [*ferns(2, 1, 2), NewPlant(1, "Moss"), *ferns(3, 4)]
    errors = await create_plants(harness.database, harness.owner, plants)
    assert list(map(type, errors)) == [
        NoneType,
        AlreadyStoredError,
        AlreadyStoredError,
        IdTakenError,
        NoneType,
        StoreFullError,
    ]
    await harness.assert_consistency()


async def test_none_is_nothing(harness: DatabaseHarness) -> None:
    assert await create_plants(harness.database, harness.owner, []) == []


async def test_what_finds_no_room_is_refused_and_no_other(
    url: str, administration: Administration
) -> None:
    async with DatabaseHarness(url, administration, max_writes=8) as harness:
        plants = ferns(*range(10))
        errors = await create_plants(harness.database, harness.owner, plants)
        assert errors[:4] == 4 * [None]
        assert set(map(type, errors[4:])) == {OverloadedError}
        assert len(await harness.read_plants()) == 4
