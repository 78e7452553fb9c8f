"""Many creates at a time: each has an outcome of its own."""

import pytest

from plantstore.errors import OverloadedError
from plantstore.model import NewPlant, Outcome
from plantstore.sql.administration import Administration
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
    outcomes = await harness.database.create_plants(harness.store_id, harness.owner, plants)
    assert outcomes == [
        Outcome.CREATED,
        Outcome.ALREADY_STORED,
        Outcome.ALREADY_STORED,
        Outcome.ID_TAKEN,
        Outcome.CREATED,
        Outcome.STORE_FULL,
    ]
    await harness.assert_consistency()


async def test_none_is_nothing(harness: DatabaseHarness) -> None:
    assert await harness.database.create_plants(harness.store_id, harness.owner, []) == []


async def test_what_finds_no_room_is_refused_and_no_other(
    url: str, administration: Administration
) -> None:
    async with DatabaseHarness(url, administration, max_writes=8) as harness:
        plants = ferns(*range(10))
        outcomes = await harness.database.create_plants(harness.store_id, harness.owner, plants)
        assert outcomes[:4] == 4 * [Outcome.CREATED]
        assert {type(outcome) for outcome in outcomes[4:]} == {OverloadedError}
        assert len(await harness.read_plants()) == 4
