"""A plant that was deleted comes back as its last event has it."""

import pytest

from plantstore.core.model import PlantQuery
from plantstore.features.events.restoring import restore_plants
from plantstore.sql.administration.records import require_store
from tests.administration import Administration
from tests.contract.harness import DatabaseHarness
from tests.plants import FULL

pytestmark = pytest.mark.anyio


async def test_a_restored_plant_counts_and_is_in_the_events(
    harness: DatabaseHarness, administration: Administration
) -> None:
    await harness.create(FULL)
    await harness.delete(FULL.id)
    session = administration.session
    with session.transaction():
        store = require_store(session, "nursery")
        assert restore_plants(session, store, [FULL.id]) == [FULL]
    assert await harness.read_plants() == [FULL]
    assert (await harness.read_page(PlantQuery(limit=0))).total == 1
    await harness.assert_consistency()
    assert harness.read_events()[-1].subject is None
