"""Writes the changes of a body, window after window.

Invariant: nothing is changed after an error that concerns more than one line.
"""

import asyncio
from collections.abc import Sequence

from plantstore.core import errors
from plantstore.core.database import Database
from plantstore.core.errors import PlantStoreError
from plantstore.core.model import DONE
from plantstore.core.operations import Write, Written, explain
from plantstore.features.changes.lines import write_result

Result = Write | PlantStoreError  # a change that was made, or its error
Window = Sequence[tuple[int, Result]]  # the changes to make, with their line numbers

_OF_ONE_LINE = (
    *(errors.RequestError, errors.ForbiddenError, errors.PreconditionFailedError),
    *(errors.IdTakenError, errors.AlreadyStoredError),
    *(errors.StoreFullError, errors.NoSuchPlantError),
)


class Writes:
    """Writes changes, window after window; of each store one at a time, which has its ``lock``.

    ``next_line`` is the first line without a result. After an error that concerns more than one
    line, ``are_over`` is set.
    """

    def __init__(self, database: Database, lock: asyncio.Lock) -> None:
        self._database = database
        self._lock = lock
        self._running: asyncio.Task[bytes] | None = None
        self.next_line = 1
        self.are_over = False

    async def exchange(self, window: Window) -> bytes:
        """Begin this window; returns the results of the previous window."""
        running, self._running = self._running, None
        results = b"" if running is None else await asyncio.shield(running)
        if window and not self.are_over:
            await self._lock.acquire()
            self._running = asyncio.get_running_loop().create_task(self._write(window))
            self._running.add_done_callback(lambda _: self._lock.release())
        return results

    async def _write(self, window: Window) -> bytes:
        begun = [self._begin(change) for _, change in window]
        lines = []
        for (number, change), waiting in zip(window, begun, strict=True):
            # Writes that are not yet in a batch must not be made after the error.
            if self.are_over and isinstance(waiting, asyncio.Future) and waiting.cancel():
                continue
            result = await _finish(change, waiting)
            self.are_over = self.are_over or is_of_all(result)
            lines.append(write_result(number, result))
        self.next_line = window[-1][0] + 1
        return b"".join(lines)

    def _begin(self, change: Result) -> "asyncio.Future[Written] | PlantStoreError":
        try:
            return change if isinstance(change, PlantStoreError) else self._database.write(change)
        except PlantStoreError as error:
            return error


async def _finish(change: Result, waiting: "asyncio.Future[Written] | PlantStoreError") -> Result:
    if isinstance(change, PlantStoreError):
        return change
    if isinstance(waiting, PlantStoreError):
        return waiting
    try:
        outcome, _ = await waiting
    except PlantStoreError as error:
        return error
    return change if outcome in DONE else explain(outcome, change)


def is_of_all(result: Result) -> bool:
    """Whether the next lines would get this error too."""
    return isinstance(result, PlantStoreError) and not isinstance(result, _OF_ONE_LINE)
