"""Atomic writes, which are applied all or not at all; and upserts."""

import asyncio
import time
from contextlib import suppress

import pytest
from msgspec.structs import replace

from plantstore.core.model import IdempotencyKey, NewPlant, Outcome
from plantstore.core.operations import (
    Atomic,
    Create,
    Delete,
    RefusedError,
    Update,
    Upsert,
    Write,
)
from tests.administration import Administration
from tests.contract.harness import DatabaseHarness

pytestmark = pytest.mark.anyio

FERN, MOSS = NewPlant(1, "Fern"), NewPlant(1, "Moss")


class Writes:
    """Makes and sends writes of the harness's owner."""

    def __init__(self, harness: DatabaseHarness) -> None:
        self._harness = harness
        self._caller = (harness.owner.store_id, harness.owner)

    def create(self, *plant_ids: int) -> list[Write]:
        return [Create(*self._caller, NewPlant(plant_id, "Fern"), None) for plant_id in plant_ids]

    def update(self, plant: NewPlant) -> Write:
        return Update(*self._caller, plant, None)

    def delete(self, plant_id: int) -> Write:
        return Delete(*self._caller, plant_id)

    def upsert(self, plant: NewPlant) -> Write:
        return Upsert(*self._caller, plant)

    async def send(
        self, *writes: Write, key: IdempotencyKey | None = None
    ) -> Outcome | tuple[int, Outcome]:
        """Send the writes as an atomic; its outcome, or the index and outcome that refused it."""
        atomic = Atomic(self._caller[0], (replace(writes[0], key=key), *writes[1:]))
        try:
            outcome, _ = await self._harness.database.write(atomic)
        except RefusedError as refused:
            return refused.index, refused.outcome
        return outcome


@pytest.fixture
def writes(harness: DatabaseHarness) -> Writes:
    return Writes(harness)


async def test_atomic_writes_are_applied_in_order(harness: DatabaseHarness, writes: Writes) -> None:
    changes = (*writes.create(1, 2), writes.update(MOSS), writes.delete(2), writes.upsert(MOSS))
    assert await writes.send(*changes) is Outcome.UNCHANGED
    assert await harness.read_plants() == [MOSS]
    assert [event.kind for event in harness.read_events()] == [
        "plant.created",
        "plant.created",
        "plant.updated",
        "plant.deleted",
    ]
    await harness.assert_consistency()


async def test_no_atomic_write_is_applied_if_one_is_refused(
    harness: DatabaseHarness, writes: Writes
) -> None:
    await harness.create(FERN)
    for count in (2, 300):  # more are applied with pauses
        ids = range(2, count)
        for refused, outcome in (
            (writes.delete(7000), Outcome.NO_SUCH_PLANT),
            (writes.create(1)[0], Outcome.ID_TAKEN),  # the id of the updated plant
        ):
            changes = (*writes.create(*ids), writes.update(MOSS), refused, *writes.create(1))
            assert await writes.send(*changes) == (len(ids) + 1, outcome)
    assert await harness.read_plants() == [FERN]
    await harness.assert_consistency()


async def test_the_time_of_an_atomic_is_measured_even_if_it_is_refused(
    harness: DatabaseHarness, writes: Writes
) -> None:
    begun = time.monotonic()
    for changes in (writes.create(1), [writes.delete(9)]):
        atomic = Atomic(harness.owner.store_id, changes)
        with suppress(RefusedError):
            await harness.database.write(atomic)
        assert 0 < atomic.seconds <= time.monotonic() - begun


async def test_a_refused_atomic_does_not_affect_concurrent_writes(
    harness: DatabaseHarness, writes: Writes
) -> None:
    refused, accepted = (*writes.create(1, 2), writes.delete(9)), writes.create(3, 4)
    outcomes: tuple[object, ...] = tuple(
        await asyncio.gather(
            harness.create(NewPlant(5, "Fern")),
            writes.send(*refused),
            harness.create(NewPlant(6, "Fern")),
            writes.send(*accepted),
            harness.create(NewPlant(7, "Fern")),
        )
    )
    created = Outcome.CREATED
    assert outcomes == (created, (2, Outcome.NO_SUCH_PLANT), created, created, created)
    assert [plant.id for plant in await harness.read_plants()] == [3, 4, 5, 6, 7]
    await harness.assert_consistency()


async def test_an_idempotency_key_applies_an_atomic_once(
    harness: DatabaseHarness, writes: Writes
) -> None:
    await harness.create(MOSS)
    for first, outcome in (
        (writes.delete(1), Outcome.DELETED),
        (writes.create(1)[0], Outcome.CREATED),
        (writes.upsert(MOSS), Outcome.UPDATED),
        (writes.update(MOSS), Outcome.UNCHANGED),
    ):
        key, other_body = (IdempotencyKey(outcome.value, 32 * byte) for byte in (b"\x01", b"\x02"))
        refused = (first, writes.delete(9))
        assert await writes.send(*refused, key=key) == (1, Outcome.NO_SUCH_PLANT)
        assert await writes.send(first, key=key) is outcome
        assert await writes.send(first, *writes.create(2), key=key) == (0, Outcome.REPLAYED)
        assert await writes.send(*writes.create(3), key=other_body) == (0, Outcome.KEY_REUSED)
        assert await harness.create(NewPlant(4, "Fern"), other_body) is Outcome.KEY_REUSED
    assert await harness.read_plants() == [MOSS]


async def test_an_upsert_creates_or_updates(
    harness: DatabaseHarness, writes: Writes, administration: Administration
) -> None:
    administration.set_quota("nursery", 1)
    upserts = (FERN, FERN, MOSS, NewPlant(2, "Fern"))
    outcomes = [await harness.database.write(writes.upsert(plant)) for plant in upserts]
    assert outcomes == [
        (Outcome.CREATED, 1),
        (Outcome.UNCHANGED, 1),
        (Outcome.UPDATED, 2),
        (Outcome.STORE_FULL, 2),
    ]
    assert await harness.read_plants() == [MOSS]
    await harness.assert_consistency()
