"""Clients that race for a few plants, and checks of their observations."""

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


class Observations:
    """The clients' operations by plant id, and lists as (revision, rows, began, ended)."""

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
        stored = read.json() if read.status_code == 200 else {}
        state = (stored["name"], stored.get("tag")) if stored else None
        outcome = Outcome.ALREADY_STORED if stored else Outcome.NO_SUCH_PLANT
        self._record(plant.id, Operation("read", state, outcome, began, time.monotonic()))
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
        response = await request
        outcomes = {"create": Outcome.CREATED, "update": Outcome.UPDATED, "delete": Outcome.DELETED}
        outcome = outcomes[kind] if response.is_success else _REFUSALS[response.json()["error"]]
        self._record(plant_id, Operation(kind, plant, outcome, began, time.monotonic(), expected))

    async def list(self, client: httpx.AsyncClient) -> None:
        began = time.monotonic()
        response = await client.get("/plants?include=id")
        assert response.status_code == 200
        match = re.fullmatch(r'"[0-9a-f]+-([0-9a-f]+)-[0-9a-f]+"', response.headers["etag"])
        assert match is not None
        self.lists.append((int(match[1], 16), response.json(), began, time.monotonic()))

    def _record(self, plant_id: int, operation: Operation) -> None:
        self.operations.setdefault(plant_id, []).append(operation)


async def race(token: str, *services: Service) -> Observations:
    """Let concurrent clients, equally many of each service, read and change a few plants."""
    observations = Observations()

    async def act(number: int) -> None:
        chance = random.Random(number)  # noqa: S311 - no secrets
        async with open_client(services[number % len(services)], token) as client:
            for step in range(OPERATIONS_EACH):
                plant_id = chance.randrange(IDS)
                kind = chance.random()
                name = f"Plant {number}.{step}"
                if kind < 0.2:
                    await observations.update(client, NewPlant(plant_id, name))
                elif kind < 0.5:
                    name = name if kind < 0.35 else "Ficus"
                    await observations.create(client, NewPlant(plant_id, name, chance.choice(TAGS)))
                elif kind < 0.85:
                    await observations.delete(client, plant_id)
                else:
                    await observations.list(client)

    await asyncio.gather(*map(act, range(CLIENTS)))
    return observations


def assert_explained(observations: Observations, events: list[Event]) -> None:
    """Fail unless a single sequential process explains the observations."""
    assert [event.revision for event in events] == list(range(1, len(events) + 1))
    assert_order(observations, events)
    assert_lists(observations, events)


def assert_order(observations: Observations, events: list[Event]) -> None:
    """Fail unless an order of the operations explains their outcomes and the stored plants."""
    last = {plant.id: (plant.name, plant.tag) for plant in replay(events)}
    for plant_id, history in observations.operations.items():
        assert find_order(history, last.get(plant_id)) is not None
        late = Operation("delete", None, Outcome.DELETED, time.monotonic(), time.monotonic() + 1)
        assert find_order([*history, late, late], last.get(plant_id)) is None  # the check can fail


def assert_lists(observations: Observations, events: list[Event]) -> None:
    """Fail unless each list is the store at its revision, which was current meanwhile."""
    began_of, ended_of = {}, {}
    for plant_id, history in observations.operations.items():
        for operation in history:
            is_created = operation.outcome is Outcome.CREATED
            if is_created and operation.plant is not None and operation.plant[0] != "Ficus":
                began_of[plant_id, operation.plant] = operation.began
                ended_of[plant_id, operation.plant] = operation.ended
    assert len(observations.lists) > 25
    assert len({revision for revision, *_ in observations.lists}) > 10
    for revision, listed, began, ended in observations.lists:
        plants = replay(events[:revision])
        assert listed == [describe(plant) for plant in plants]
        for event in events:
            identity = (event.plant.id, (event.plant.name, event.plant.tag))
            if event.kind != "plant.created" or identity not in began_of:
                continue
            if event.revision <= revision:
                assert began_of[identity] <= ended  # no plant is listed before its create began
            else:
                assert ended_of[identity] >= began  # no acknowledged plant is missing
