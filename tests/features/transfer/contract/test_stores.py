"""Commands change plants by the same rules as requests, on every kind of database."""

import pytest

from plantstore.core.errors import SetupError
from plantstore.core.model import NewPlant
from plantstore.features.transfer.stores import DatabaseStore
from plantstore.sql.changes import Change
from tests.administration import Administration
from tests.contract.harness import DatabaseHarness
from tests.plants import FULL

pytestmark = pytest.mark.anyio

FERN, MOSS, ROSE = NewPlant(1, "Fern"), NewPlant(2, "Moss"), NewPlant(3, "Rose")


async def test_changes_by_commands_are_checked_counted_and_recorded(
    harness: DatabaseHarness, administration: Administration
) -> None:
    await harness.create(FULL)
    await harness.delete(FULL.id)
    store = DatabaseStore(administration.session, "nursery")
    assert store.find_deleted(FULL.id) == FULL
    administration.set_quota("nursery", 3)
    fern_with_tag = NewPlant(1, "Fern", "herb")
    for changes, errors in (
        ([Change(None, plant) for plant in (FULL, FERN, MOSS, ROSE)], [40302]),
        ([Change(None, plant) for plant in (FULL, FERN, MOSS)], []),
        ([Change(None, FERN), Change(None, NewPlant(2, "Other"))], [40004, 40003]),
        ([Change(FERN, fern_with_tag)], []),
        ([Change(FERN, NewPlant(1, "Other"))], [41201]),
        ([Change(fern_with_tag, fern_with_tag)], []),
        ([Change(MOSS, None), Change(ROSE, None), Change(fern_with_tag, FERN)], [40401]),
        ([Change(MOSS, None)], []),
    ):
        refusals = store.write("test", changes)
        assert [refusal.error for refusal in refusals if refusal] == errors
    administration.set_quota("nursery", 1)
    (refusal,) = store.write("test", [Change(None, ROSE)])
    assert refusal is not None
    assert refusal.error == 40302
    assert await harness.read_plants() == [fern_with_tag, FULL]
    await harness.assert_consistency()
    kinds = [event.kind.removeprefix("plant.") for event in harness.read_events()]
    assert kinds == ["created", "deleted", *["created"] * 3, "updated", "deleted"]
    last = harness.read_events()[-1]
    assert (last.subject, last.token_label) == (None, "plantstore test")
    assert last.plant == MOSS


async def test_a_command_does_not_write_to_a_store_deleted_meanwhile(
    harness: DatabaseHarness, administration: Administration
) -> None:
    await harness.create(FERN)
    store = DatabaseStore(administration.session, "nursery")
    administration.delete_store("nursery")
    for is_atomic in (True, False):
        with pytest.raises(SetupError, match="was deleted"):
            store.write("test", [Change(None, MOSS)], is_atomic=is_atomic)
    administration.create_store("nursery")
    assert list(DatabaseStore(administration.session, "nursery").list_plants(None)) == []
