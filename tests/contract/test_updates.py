"""Updates and reads of one plant, and writes that depend on its entity tag."""

import asyncio
import random
from itertools import product

import pytest

from plantstore.core.model import (
    INT64_MAX,
    INT64_MIN,
    IdempotencyKey,
    NewPlant,
    Outcome,
    PlantQuery,
    Precondition,
    contents_of,
    entity_tag_of,
)
from tests.administration import Administration
from tests.contract.harness import DatabaseHarness
from tests.contract.store_model import StoreModel, Write
from tests.plants import FULL

pytestmark = pytest.mark.anyio

MONSTERA, FICUS, FERN = (
    NewPlant(1, *contents_of(FULL)),
    NewPlant(1, "Ficus"),
    NewPlant(2, "Fern"),
)
OTHER = "0123456789abcdef"
MAX_PLANTS = 4
NOT_IN_THE_MODEL = {Outcome.TOKEN_INVALID, Outcome.FORBIDDEN, Outcome.NO_SUCH_STORE}


def if_match(*tags: str) -> Precondition:
    return Precondition(tags, None)


def if_none_match(*tags: str) -> Precondition:
    return Precondition(None, tags)


async def test_a_plant_is_found_by_its_id_in_its_store(harness: DatabaseHarness) -> None:
    other = await harness.make_caller("orchard", "eve")
    await harness.create(MONSTERA)
    await harness.create(FERN, caller=other)
    found = [harness.database.find_plant(harness.store_id, plant_id) for plant_id in (1, 2, 1)]
    assert await asyncio.gather(*found) == [MONSTERA, None, MONSTERA]


async def test_preconditions_follow_rfc_9110(harness: DatabaseHarness) -> None:
    await harness.create(MONSTERA)
    tag = entity_tag_of(MONSTERA)
    for precondition, is_met in (
        (if_match(tag), True),
        (if_match(OTHER, tag), True),
        (if_match("*"), True),
        (if_match(OTHER), False),
        (if_match(), False),
        (if_none_match(tag), False),
        (if_none_match(OTHER, tag), False),
        (if_none_match("*"), False),
        (if_none_match(OTHER), True),
        (if_none_match(), True),
        (Precondition((tag,), (OTHER,)), True),
        (Precondition((tag,), (tag,)), False),
        (Precondition((OTHER,), (OTHER,)), False),
    ):
        expected = Outcome.UNCHANGED if is_met else Outcome.PRECONDITION_FAILED
        assert await harness.update(MONSTERA, precondition) is expected
        expected = Outcome.DELETED if is_met else Outcome.PRECONDITION_FAILED
        assert await harness.delete(1, precondition=precondition) is expected
        await harness.create(MONSTERA)
        assert await harness.update(FERN, precondition) is Outcome.NO_SUCH_PLANT
        assert await harness.delete(2, precondition=precondition) is Outcome.NO_SUCH_PLANT


async def test_the_database_calculates_the_same_entity_tags_as_python(
    harness: DatabaseHarness,
) -> None:
    ids = (INT64_MIN, -1, 0, INT64_MAX)
    names = ("Fern", "Zoë 🌿", 'a "b" \\ \u2028', "e\u0301", "x" * 1000)
    tags = (None, "", "tag", " ", "🌵" * 256)
    for plant_id in ids:
        plants = [NewPlant(plant_id, name, tag) for name, tag in product(names, tags)]
        await harness.create(plants[0])
        for plant, following in zip(plants, plants[1:] + plants[:1], strict=True):
            assert (
                await harness.update(following, if_match(entity_tag_of(plant))) is Outcome.UPDATED
            )
    # Clients store entity tags, so they must never change.
    assert entity_tag_of(NewPlant(1, "Monstera", "tropical")) == "9b39d879f352acf7"


async def test_batched_writes_have_the_outcomes_of_sequential_writes(
    harness: DatabaseHarness, administration: Administration
) -> None:
    """Compare random writes, in batches of random sizes, with a model."""
    chance = random.Random(4)  # noqa: S311 - no secrets
    administration.set_quota("nursery", MAX_PLANTS)
    model, outcomes_seen = StoreModel(MAX_PLANTS), set[Outcome]()
    for _ in range(60):
        writes = [choose_write(chance) for _ in range(chance.choice((1, 2, 8, 40, 300)))]
        outcomes = await asyncio.gather(*(send(harness, *write) for write in writes))
        assert list(outcomes) == [model.apply(*write) for write in writes]
        outcomes_seen |= set(outcomes)
    assert set(Outcome) - outcomes_seen == NOT_IN_THE_MODEL
    assert await harness.read_plants() == sorted(model.plants.values(), key=lambda plant: plant.id)
    assert (await harness.read_page(PlantQuery(limit=0))).total == len(model.plants)
    events = [(event.kind, event.plant) for event in harness.read_events()]
    assert events == model.events
    await harness.assert_consistency()


def choose_write(chance: random.Random) -> Write:
    plant, known = (
        NewPlant(plant_id, chance.choice(("Fern", "Moss")), chance.choice((None, "green")))
        for plant_id in [chance.randrange(7)] * 2
    )
    tags = chance.choice((None, (), ("*",), (entity_tag_of(known),), (OTHER, entity_tag_of(known))))
    kind = chance.choice(("create", "create", "update", "delete"))
    if kind != "create":
        return (
            kind,
            plant,
            chance.choice((None, Precondition(tags, None), Precondition(None, tags))),
            None,
        )
    key = IdempotencyKey(f"key {chance.randrange(200)}", bytes([chance.randrange(2)]) * 32)
    return kind, plant, None, chance.choice((None, key))


async def send(
    harness: DatabaseHarness,
    kind: str,
    plant: NewPlant,
    precondition: Precondition | None,
    key: IdempotencyKey | None,
) -> Outcome:
    if kind == "create":
        return await harness.create(plant, key)
    if kind == "update":
        return await harness.update(plant, precondition)
    return await harness.delete(plant.id, precondition=precondition)
