"""A serving database for the contract's tests, with callers, plants and a plain model."""

import asyncio
import json
from collections.abc import Callable
from typing import Any, Self

import pytest
from msgspec.structs import asdict

from plantstore.core.model import (
    Caller,
    Grant,
    IdempotencyKey,
    NewPlant,
    Outcome,
    Page,
    PlantQuery,
    Precondition,
)
from plantstore.core.operations import Create, Delete, Update, Write
from plantstore.core.settings import Settings
from plantstore.core.tokens import hash_token, read_store_id
from plantstore.databases import open_database
from tests.administration import Administration, Event

MANY = 1_000_000


class DatabaseHarness:
    """A serving database with the store ``nursery`` of the owner ``ada``.

    ``settings`` override the defaults.
    """

    def __init__(self, url: str, administration: Administration, **settings: float) -> None:
        self._settings = Settings(database=url, **settings)  # type: ignore[arg-type]
        self.administration: Any = administration  # features extend it

    async def open(self) -> None:
        """Open the database, or reopen it after a test has closed it."""
        self.database = await open_database(self._settings)

    async def __aenter__(self) -> Self:
        await self.open()
        self.owner = await self.make_caller("nursery", "ada")
        self.store_id = self.owner.store_id
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.database.close()

    async def make_caller(self, store: str, subject: str, label: str = "") -> Caller:
        request = Grant(subject=subject, store=store, label=label)
        caller = await self.find_caller(self.administration.create_token(request).secret)
        assert caller is not None
        return caller

    async def find_caller(self, token: str, store_name: str | None = None) -> Caller | None:
        store_id = read_store_id(token)
        assert store_id is not None
        return await self.database.find_caller(store_id, hash_token(token), store_name)

    async def create(
        self, plant: NewPlant, key: IdempotencyKey | None = None, caller: Caller | None = None
    ) -> Outcome:
        return await self._write(Create, caller, plant, None, key)

    async def create_all(self, plants: list[NewPlant]) -> None:
        outcomes = await asyncio.gather(*map(self.create, plants))
        assert set(outcomes) <= {Outcome.CREATED}

    async def update(
        self,
        plant: NewPlant,
        precondition: Precondition | None = None,
        caller: Caller | None = None,
    ) -> Outcome:
        return await self._write(Update, caller, plant, precondition)

    async def delete(
        self, plant_id: int, caller: Caller | None = None, precondition: Precondition | None = None
    ) -> Outcome:
        return await self._write(Delete, caller, plant_id, precondition)

    async def _write(
        self, kind: Callable[..., Write], caller: Caller | None, *arguments: object
    ) -> Outcome:
        caller = caller or self.owner
        outcome, _ = await self.database.write(kind(caller.store_id, caller, *arguments))
        return outcome

    async def read_page(self, query: PlantQuery, limit: int = MANY) -> Page:
        return await self.database.read_page(self.store_id, query, limit)

    async def read_plants(self, caller: Caller | None = None) -> list[NewPlant]:
        store_id = (caller or self.owner).store_id
        snapshot = await self.database.open_snapshot(store_id)
        plants = list[NewPlant]()
        query, more = PlantQuery(with_ids=True), True
        while more:
            page = await snapshot.read_page(query, MANY)
            plants += [NewPlant(**row) for row in decode(page)]
            query, more = PlantQuery(first_id=page.last_id + 1, with_ids=True), page.more
        await snapshot.close()
        return plants

    async def read_revision(self) -> int:
        return (await self.read_page(PlantQuery(limit=0))).revision

    def read_events(self, store: str = "nursery") -> list[Event]:
        return list(self.administration.list_events(store))

    async def assert_consistency(self) -> None:
        """Fail unless the events are gapless and, replayed, give the plants and the revision."""
        events = self.read_events()
        assert [event.revision for event in events] == list(range(1, len(events) + 1))
        assert await self.read_revision() == len(events)
        assert replay(events) == await self.read_plants()


def with_settings(**settings: float) -> pytest.MarkDecorator:
    """Give the test's harness these settings."""
    return pytest.mark.parametrize("harness", [settings], indirect=True)


def decode(page: Page) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads(b"[%s]" % page.plants)
    assert len(rows) == page.count
    return rows


def replay(events: list[Event]) -> list[NewPlant]:
    """The plants after these events, each of which must be possible."""
    plants: dict[int, NewPlant] = {}
    for event in events:
        if event.kind == "plant.created":
            assert event.plant.id not in plants
            plants[event.plant.id] = event.plant
        elif event.kind == "plant.updated":
            assert plants[event.plant.id] != event.plant
            plants[event.plant.id] = event.plant
        else:
            assert event.kind == "plant.deleted"
            assert plants.pop(event.plant.id) == event.plant
    return sorted(plants.values(), key=lambda plant: plant.id)


def select(plants: list[NewPlant], query: PlantQuery) -> list[NewPlant]:
    """The plants that match a query: the model of every list."""
    matching = [
        plant
        for plant in sorted(plants, key=lambda plant: plant.id)
        if plant.id >= query.first_id and (not query.tags or plant.tag in query.tags)
    ]
    return matching[: query.limit]


def describe(plant: NewPlant, *, with_ids: bool = True) -> dict[str, object]:
    row = {field: value for field, value in asdict(plant).items() if value is not None}
    return row if with_ids else {field: row[field] for field in row if field != "id"}
