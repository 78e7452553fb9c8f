"""Creates and deletes: their outcomes, events and revisions."""

import asyncio

import pytest

from plantstore.core.model import INT64_MAX, INT64_MIN, NewPlant, Outcome, contents_of
from tests.administration import Administration, Event
from tests.contract.harness import DatabaseHarness
from tests.plants import FULL

pytestmark = pytest.mark.anyio

MONSTERA, FICUS = NewPlant(1, *contents_of(FULL)), NewPlant(1, "Ficus")


async def test_an_event_has_the_plant_the_user_and_the_token(harness: DatabaseHarness) -> None:
    eve = await harness.make_caller("nursery", "eve", label="kiosk")
    await harness.create(MONSTERA)
    await harness.create(NewPlant(INT64_MIN, 'A "plant"'), caller=eve)
    await harness.update(FICUS, caller=eve)
    await harness.delete(1, eve)
    events = harness.read_events()
    ada = ("ada", "", harness.owner.token_id)
    by_eve = ("eve", "kiosk", eve.token_id)
    first, second, third, fourth = (event.at for event in events)
    assert events == [
        Event(1, "plant.created", MONSTERA, first, *ada),
        Event(2, "plant.created", NewPlant(INT64_MIN, 'A "plant"'), second, *by_eve),
        Event(3, "plant.updated", FICUS, third, *by_eve),
        Event(4, "plant.deleted", FICUS, fourth, *by_eve),
    ]


@pytest.mark.parametrize(
    "impossible",
    [
        NewPlant(50, "a lone surrogate \ud800"),
        NewPlant(INT64_MAX + 1, "an id beyond int64"),
        NewPlant(50, "a tag with a lone surrogate", "\udfff"),
    ],
)
async def test_a_failing_write_does_not_fail_its_batch(
    harness: DatabaseHarness, impossible: NewPlant
) -> None:
    plants = [NewPlant(n, f"Plant {n}") for n in range(100)]
    plants[50] = impossible
    outcomes = await asyncio.gather(*map(harness.create, plants), return_exceptions=True)
    assert isinstance(outcomes.pop(50), Exception)
    assert outcomes == 99 * [Outcome.CREATED]
    del plants[50]
    assert await harness.read_plants() == plants
    await harness.assert_consistency()
    assert await harness.create(NewPlant(50, "Monstera")) is Outcome.CREATED


async def test_a_batch_waits_while_writes_arrive(
    harness: DatabaseHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    for writer in ("sqlite.writer", "postgres.batcher"):
        monkeypatch.setattr(f"plantstore.{writer}._GATHERING_SECONDS", 60)
    sizes, writes = list[int](), []
    harness.database.writes.observers.append(lambda count, _: sizes.append(count))
    for number in range(3):
        writes.append(asyncio.ensure_future(harness.create(NewPlant(number, "Fern"))))
        await asyncio.sleep(0)
    assert await asyncio.gather(*writes) == 3 * [Outcome.CREATED]
    assert sizes == [3]


async def test_cancelled_writes_do_not_affect_others(
    harness: DatabaseHarness,
) -> None:
    tasks = [asyncio.ensure_future(harness.create(NewPlant(n, "Ficus"))) for n in range(50)]
    await asyncio.sleep(0)
    for task in tasks[::2]:
        task.cancel()
    outcomes = await asyncio.gather(*tasks, return_exceptions=True)
    assert outcomes[1::2] == 25 * [Outcome.CREATED]
    assert all(isinstance(outcome, asyncio.CancelledError) for outcome in outcomes[::2])
    assert {n for n in range(50) if n % 2} <= {plant.id for plant in await harness.read_plants()}
    await harness.assert_consistency()


async def test_a_recreated_store_is_empty_and_refuses_old_callers_writes(
    harness: DatabaseHarness, administration: Administration
) -> None:
    other = await harness.make_caller("orchard", "eve")
    await harness.create(MONSTERA)
    administration.delete_store("nursery")
    new_owner = await harness.make_caller("nursery", "ada")
    assert new_owner.store_id != harness.store_id
    assert new_owner.revision > harness.owner.revision + 1  # higher than any of the deleted store
    assert harness.read_events() == []
    writes = [
        harness.create(MONSTERA),
        harness.create(MONSTERA, caller=other),
        harness.delete(1),
        harness.create(MONSTERA, caller=new_owner),
    ]
    invalid, created = Outcome.TOKEN_INVALID, Outcome.CREATED
    assert await asyncio.gather(*writes) == [invalid, created, invalid, created]
    assert (await harness.read_plants(), await harness.read_revision()) == ([], 0)
    assert await harness.read_plants(new_owner) == [MONSTERA]


async def test_a_quota_below_the_count_deletes_no_plants(
    harness: DatabaseHarness, administration: Administration
) -> None:
    for number in range(3):
        await harness.create(NewPlant(number, "Fern"))
    administration.set_quota("nursery", 1)
    assert len(await harness.read_plants()) == 3
    assert await harness.create(NewPlant(9, "Fern")) is Outcome.STORE_FULL
    administration.set_quota("nursery", None)
    assert await harness.create(NewPlant(9, "Fern")) is Outcome.CREATED
