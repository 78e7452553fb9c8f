"""Clients that race for a few plants, and checks of all that they saw."""

import asyncio
import random
import re
import time
from collections.abc import Awaitable

import httpx

from plantstore.core.model import NewPlant, Outcome
from tests.administration import Event
from tests.contract.harness import describe, replay
from tests.faults.history import Operation, State, find_order
from tests.service import Service

CLIENTS = 6
OPERATIONS_EACH = 50
IDS = 12
TAGS = (None, "indoor")
_REFUSALS = {
    40003: Outcome.ID_TAKEN,
    40004: Outcome.ALREADY_STORED,
    40401: Outcome.NO_SUCH_PLANT,
    41201: Outcome.PRECONDITION_FAILED,
}


def open_client(service: Service, token: str) -> httpx.AsyncClient:
    headers = {"Authorization": f"Bearer {token}"}
    return httpx.AsyncClient(base_url=service.origin, headers=headers, timeout=60)


class Seen:
    """What clients saw: operations by plant id, and lists as (revision, rows, began, ended)."""

    def __init__(self) -> None:
        self.operations: dict[int, list[Operation]] = {}
        self.lists: list[tuple[int, object, float, float]] = []

    async def create(self, client: httpx.AsyncClient, plant: NewPlant) -> None:
        request = client.post("/plants", json=describe(plant))
        await self._change("create", plant.id, (plant.name, plant.tag), request)

    async def delete(self, client: httpx.AsyncClient, plant_id: int) -> None:
        await self._change("delete", plant_id, None, client.delete(f"/plants/{plant_id}"))

    async def update(self, client: httpx.AsyncClient, plant: NewPlant) -> None:
        """Read the plant, and replace it if it is still the same."""
        path, began = f"/plants/{plant.id}", time.monotonic()
        read = await client.get(path)
        found = read.json() if read.status_code == 200 else {}
        state = (found["name"], found.get("tag")) if found else None
        seen = Outcome.ALREADY_STORED if found else Outcome.NO_SUCH_PLANT
        self._note(plant.id, Operation("read", state, seen, began, time.monotonic()))
        if state is not None:
            condition = {"If-Match": read.headers["etag"]}
            request = client.put(path, json=describe(plant), headers=condition)
            await self._change("update", plant.id, (plant.name, plant.tag), request, state)

    async def _change(
        self,
        kind: str,
        plant_id: int,
        plant: State,
        request: Awaitable[httpx.Response],
        expected: State = None,
    ) -> None:
        began = time.monotonic()
        answer = await request
        done = {"create": Outcome.CREATED, "update": Outcome.UPDATED, "delete": Outcome.DELETED}
        outcome = done[kind] if answer.is_success else _REFUSALS[answer.json()["error"]]
        self._note(plant_id, Operation(kind, plant, outcome, began, time.monotonic(), expected))

    async def list(self, client: httpx.AsyncClient) -> None:
        began = time.monotonic()
        answer = await client.get("/plants?include=id")
        assert answer.status_code == 200
        found = re.fullmatch(r'"[0-9a-f]+-([0-9a-f]+)-[0-9a-f]+"', answer.headers["etag"])
        assert found is not None
        self.lists.append((int(found[1], 16), answer.json(), began, time.monotonic()))

    def _note(self, plant_id: int, operation: Operation) -> None:
        self.operations.setdefault(plant_id, []).append(operation)


async def race(token: str, *services: Service) -> Seen:
    """Several clients at once, of each service as many, read and change a few plants."""
    seen = Seen()

    async def act(number: int) -> None:
        chance = random.Random(number)  # noqa: S311 - no secrets
        async with open_client(services[number % len(services)], token) as client:
            for step in range(OPERATIONS_EACH):
                plant_id = chance.randrange(IDS)
                kind = chance.random()
                name = f"Plant {number}.{step}"
                if kind < 0.2:
                    await seen.update(client, NewPlant(plant_id, name))
                elif kind < 0.5:
                    name = name if kind < 0.35 else "Ficus"
                    await seen.create(client, NewPlant(plant_id, name, chance.choice(TAGS)))
                elif kind < 0.85:
                    await seen.delete(client, plant_id)
                else:
                    await seen.list(client)

    await asyncio.gather(*map(act, range(CLIENTS)))
    return seen


def assert_explained(seen: Seen, events: list[Event]) -> None:
    """Fail unless what clients saw is what one process could have shown."""
    assert [event.revision for event in events] == list(range(1, len(events) + 1))
    assert_order(seen, events)
    assert_lists(seen, events)


def assert_order(seen: Seen, events: list[Event]) -> None:
    """Fail unless the operations have an order that explains their answers and what is left."""
    last = {plant.id: (plant.name, plant.tag) for plant in replay(events)}
    for plant_id, history in seen.operations.items():
        assert find_order(history, last.get(plant_id)) is not None
        late = Operation("delete", None, Outcome.DELETED, time.monotonic(), time.monotonic() + 1)
        assert find_order([*history, late, late], last.get(plant_id)) is None  # so it can fail


def assert_lists(seen: Seen, events: list[Event]) -> None:
    """Fail unless each list is the store at its revision, which was the store's meanwhile."""
    began_of, ended_of = {}, {}
    for plant_id, history in seen.operations.items():
        for operation in history:
            is_created = operation.outcome is Outcome.CREATED
            if is_created and operation.plant is not None and operation.plant[0] != "Ficus":
                began_of[plant_id, operation.plant] = operation.began
                ended_of[plant_id, operation.plant] = operation.ended
    assert len(seen.lists) > 25
    assert len({revision for revision, *_ in seen.lists}) > 10
    for revision, listed, began, ended in seen.lists:
        plants = replay(events[:revision])
        assert listed == [describe(plant) for plant in plants]
        for event in events:
            identity = (event.plant.id, (event.plant.name, event.plant.tag))
            if event.kind != "plant.created" or identity not in began_of:
                continue
            if event.revision <= revision:
                assert began_of[identity] <= ended  # nothing is seen before it was asked for
            else:
                assert ended_of[identity] >= began  # nothing acknowledged is missing
