"""Writes the plants of a body with many, window after window.

Invariant: nothing is stored after an error that is not of one line alone.
"""

import asyncio
from collections.abc import Awaitable, Sequence

from plantstore.core import operations
from plantstore.core.database import Create, Database
from plantstore.core.decoding import Line
from plantstore.core.errors import (
    AlreadyStoredError,
    IdTakenError,
    PlantStoreError,
    RequestError,
    StoreFullError,
)
from plantstore.core.model import Caller, NewPlant, Outcome, Scope
from plantstore.features.bulk.lines import write_result

_OF_ONE_LINE = (RequestError, IdTakenError, AlreadyStoredError, StoreFullError)


class BulkWrites:
    """Creates a caller's plants, window after window, ``writing`` one window of all bodies.

    ``next_line`` is the first line without a result; ``are_over`` says that an error of more than
    one line has happened: nothing more is stored.
    """

    def __init__(self, database: Database, caller: Caller, writing: asyncio.Lock) -> None:
        self._database = database
        self._caller = caller
        self._writing = writing
        self._running: asyncio.Task[bytes] | None = None
        self.next_line = 1
        self.are_over = False

    async def exchange(self, window: Sequence[Line]) -> bytes:
        """The results of the window before; this one is begun."""
        running, self._running, results = self._running, None, b""
        if running is None:
            await asyncio.sleep(0)  # windows of blank lines alone leave the loop to others, too
        else:
            results = await asyncio.shield(running)
        if window and not self.are_over:
            await self._writing.acquire()
            self._running = asyncio.get_running_loop().create_task(self._write(window))
            self._running.add_done_callback(lambda _: self._writing.release())
        return results

    async def _write(self, window: Sequence[Line]) -> bytes:
        plants = [plant for _, plant in window if isinstance(plant, NewPlant)]
        errors = iter(await create_plants(self._database, self._caller, plants))
        results = []
        for number, decoded in window:
            error = next(errors) if isinstance(decoded, NewPlant) else decoded
            self.are_over = self.are_over or not (error is None or isinstance(error, _OF_ONE_LINE))
            results.append(write_result(number, error))
        self.next_line = window[-1][0] + 1
        return b"".join(results)


async def create_plants(
    database: Database, caller: Caller, plants: Sequence[NewPlant]
) -> Sequence[PlantStoreError | None]:
    """Create each, as ``create_plant`` does, at the same time; why each failed, or None."""
    creates = [Create(caller.store_id, caller, plant, None) for plant in plants]
    waiting = [_begin(database, create) for create in creates]
    return [await _finish(*one) for one in zip(creates, waiting, strict=True)]


def _begin(database: Database, create: Create) -> Awaitable[Outcome] | PlantStoreError:
    try:
        return database.write(create)
    except PlantStoreError as error:
        return error


async def _finish(
    create: Create, waiting: Awaitable[Outcome] | PlantStoreError
) -> PlantStoreError | None:
    if isinstance(waiting, PlantStoreError):
        return waiting
    try:
        outcome = await waiting
    except PlantStoreError as error:
        return error
    return (
        None
        if outcome is Outcome.CREATED
        else operations.explain(outcome, create.plant.id, Scope.CREATE)
    )
