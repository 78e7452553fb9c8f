"""Creates and deletes: their outcomes, and the events and revisions that they leave."""

import asyncio
import random

import pytest

from plantstore.model import INT64_MAX, INT64_MIN, Event, NewPlant, Outcome
from plantstore.sql.administration import Administration
from tests.contract.garden import Garden

pytestmark = pytest.mark.anyio

MONSTERA = NewPlant(1, "Monstera", "tropical")


async def test_a_plant_is_created_and_deleted(garden: Garden) -> None:
    assert await garden.create(MONSTERA) is Outcome.CREATED
    assert await garden.read_plants() == [MONSTERA]
    assert await garden.delete(1) is Outcome.DELETED
    assert await garden.read_plants() == []


@pytest.mark.parametrize("plant_id", [INT64_MIN, -1, 0, INT64_MAX])
@pytest.mark.parametrize("tag", [None, "tropical"])
async def test_every_int64_is_an_id(garden: Garden, plant_id: int, tag: str | None) -> None:
    plant = NewPlant(plant_id, "Monstera", tag)
    assert await garden.create(plant) is Outcome.CREATED
    assert await garden.read_plants() == [plant]
    assert await garden.delete(plant_id) is Outcome.DELETED
    assert await garden.read_plants() == []


@pytest.mark.parametrize(
    "other",
    [
        NewPlant(1, "Ficus", "tropical"),
        NewPlant(1, "Monstera", "indoor"),
        NewPlant(1, "Monstera"),
        NewPlant(1, "monstera", "tropical"),
    ],
)
async def test_an_id_belongs_to_one_plant(garden: Garden, other: NewPlant) -> None:
    await garden.create(MONSTERA)
    assert await garden.create(other) is Outcome.ID_TAKEN
    assert await garden.read_plants() == [MONSTERA]


@pytest.mark.parametrize("tag", [None, "tropical"])
async def test_an_identical_plant_is_told_from_another(garden: Garden, tag: str | None) -> None:
    await garden.create(NewPlant(1, "Monstera", tag))
    assert await garden.create(NewPlant(1, "Monstera", tag)) is Outcome.ALREADY_STORED


async def test_a_deleted_id_is_free_at_once(garden: Garden) -> None:
    await garden.create(MONSTERA)
    await garden.delete(1)
    assert await garden.create(NewPlant(1, "Ficus")) is Outcome.CREATED
    assert await garden.read_plants() == [NewPlant(1, "Ficus")]


async def test_deleting_what_is_not_there_is_refused(garden: Garden) -> None:
    await garden.create(MONSTERA)
    assert await garden.delete(2) is Outcome.NO_SUCH_PLANT
    await garden.delete(1)
    assert await garden.delete(1) is Outcome.NO_SUCH_PLANT


async def test_an_id_may_stand_for_one_plant_in_each_store(garden: Garden) -> None:
    other = await garden.admit("orchard", "eve")
    await garden.create(MONSTERA)
    assert await garden.create(NewPlant(1, "Apple"), caller=other) is Outcome.CREATED
    assert await garden.delete(1) is Outcome.DELETED
    assert await garden.read_plants() == []
    assert await garden.read_plants(other) == [NewPlant(1, "Apple")]


async def test_only_changes_raise_the_revision_each_by_one(garden: Garden) -> None:
    revisions = [await garden.read_revision()]
    for write in (
        garden.create(MONSTERA),
        garden.create(MONSTERA),
        garden.create(NewPlant(1, "Ficus")),
        garden.delete(7),
        garden.create(NewPlant(2, "Ficus")),
        garden.delete(1),
        garden.delete(1),
    ):
        await write
        revisions.append(await garden.read_revision())
    assert revisions == [0, 1, 1, 1, 1, 2, 3, 3]


async def test_a_change_to_one_store_does_not_move_another(garden: Garden) -> None:
    other = await garden.admit("orchard", "eve")
    await asyncio.gather(*(garden.create(NewPlant(n, "Apple"), caller=other) for n in range(5)))
    assert await garden.read_revision() == 0
    assert garden.read_events() == []
    assert len(garden.read_events("orchard")) == 5


async def test_an_event_tells_the_plant_and_who_did_what(garden: Garden) -> None:
    eve = await garden.admit("nursery", "eve", label="kiosk")
    await garden.create(MONSTERA)
    await garden.create(NewPlant(INT64_MIN, 'A "plant"'), caller=eve)
    await garden.delete(1, eve)
    events = garden.read_events()
    ada = garden.owner
    assert events == [
        Event(1, "plant.created", MONSTERA, events[0].at, ada.user_id, ""),
        Event(
            2,
            "plant.created",
            NewPlant(INT64_MIN, 'A "plant"'),
            events[1].at,
            eve.user_id,
            "kiosk",
        ),
        Event(3, "plant.deleted", MONSTERA, events[2].at, eve.user_id, "kiosk"),
    ]


async def test_concurrent_writes_leave_events_that_give_the_plants(garden: Garden) -> None:
    chance = random.Random(7)  # noqa: S311 - no secrets
    creates = [NewPlant(chance.randrange(20), f"Plant {n}") for n in range(300)]
    deletes = [chance.randrange(20) for _ in range(200)]
    writes = [garden.create(plant) for plant in creates] + [garden.delete(n) for n in deletes]
    order = chance.sample(range(len(writes)), len(writes))
    done = dict(zip(order, await asyncio.gather(*(writes[n] for n in order)), strict=True))

    created = {creates[n] for n in range(300) if done[n] is Outcome.CREATED}
    deleted = [deletes[n - 300] for n in range(300, 500) if done[n] is Outcome.DELETED]
    assert set(done.values()) <= {
        Outcome.CREATED,
        Outcome.ID_TAKEN,
        Outcome.DELETED,
        Outcome.NO_SUCH_PLANT,
    }
    events = garden.read_events()
    assert {event.plant for event in events if event.kind == "plant.created"} == created
    assert sorted(e.plant.id for e in events if e.kind == "plant.deleted") == sorted(deleted)
    await garden.demand_consistency()


async def test_of_many_creates_of_one_id_one_wins(garden: Garden) -> None:
    plants = [NewPlant(1, f"Plant {n}") for n in range(200)]
    outcomes = await asyncio.gather(*map(garden.create, plants))
    assert sorted(outcomes, key=lambda outcome: outcome.value) == (
        [Outcome.CREATED] + 199 * [Outcome.ID_TAKEN]
    )
    assert await garden.read_plants() == [plants[outcomes.index(Outcome.CREATED)]]
    assert await garden.read_revision() == 1


async def test_of_many_deletes_of_one_plant_one_wins(garden: Garden) -> None:
    await garden.create(MONSTERA)
    outcomes = await asyncio.gather(*(garden.delete(1) for _ in range(100)))
    assert outcomes.count(Outcome.DELETED) == 1
    assert outcomes.count(Outcome.NO_SUCH_PLANT) == 99
    await garden.demand_consistency()


@pytest.mark.parametrize(
    "impossible",
    [
        NewPlant(50, "a lone surrogate \ud800"),
        NewPlant(INT64_MAX + 1, "an id beyond int64"),
        NewPlant(50, "a tag with a lone surrogate", "\udfff"),
    ],
)
async def test_a_write_that_cannot_be_stored_fails_alone(
    garden: Garden, impossible: NewPlant
) -> None:
    plants = [NewPlant(n, f"Plant {n}") for n in range(100)]
    plants[50] = impossible
    outcomes = await asyncio.gather(*map(garden.create, plants), return_exceptions=True)
    assert isinstance(outcomes.pop(50), Exception)
    assert outcomes == 99 * [Outcome.CREATED]
    del plants[50]
    assert await garden.read_plants() == plants
    await garden.demand_consistency()
    assert await garden.create(NewPlant(50, "Monstera")) is Outcome.CREATED


async def test_a_write_whose_request_was_given_up_disturbs_no_other(garden: Garden) -> None:
    tasks = [asyncio.ensure_future(garden.create(NewPlant(n, "Ficus"))) for n in range(50)]
    await asyncio.sleep(0)
    for task in tasks[::2]:
        task.cancel()
    outcomes = await asyncio.gather(*tasks, return_exceptions=True)
    assert outcomes[1::2] == 25 * [Outcome.CREATED]
    assert all(isinstance(outcome, asyncio.CancelledError) for outcome in outcomes[::2])
    assert {n for n in range(50) if n % 2} <= {plant.id for plant in await garden.read_plants()}
    await garden.demand_consistency()


async def test_writes_to_a_deleted_store_find_no_store(
    garden: Garden, administration: Administration
) -> None:
    other = await garden.admit("orchard", "eve")
    await garden.create(MONSTERA)
    administration.delete_store("nursery")
    writes = [
        garden.create(NewPlant(2, "Ficus")),
        garden.create(NewPlant(1, "Apple"), caller=other),
        garden.delete(1),
    ]
    assert await asyncio.gather(*writes) == [
        Outcome.NO_SUCH_STORE,
        Outcome.CREATED,
        Outcome.NO_SUCH_STORE,
    ]
    assert await garden.read_plants() == []
    assert await garden.read_revision() == 0


async def test_a_store_made_again_begins_empty(
    garden: Garden, administration: Administration
) -> None:
    await garden.create(MONSTERA)
    administration.delete_store("nursery")
    again = await garden.admit("nursery", "ada")
    assert again.store_id != garden.store_id
    assert again.revision == 0
    assert await garden.read_plants(again) == []
    assert garden.read_events() == []
    assert await garden.create(MONSTERA) is Outcome.NO_SUCH_STORE
    assert await garden.create(MONSTERA, caller=again) is Outcome.CREATED
