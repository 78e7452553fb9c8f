"""The windows of one body with many plants, on their way into the database.

Invariant: what was begun ends by itself, also where the client has gone: a window is stored whole.
"""

import asyncio
from collections.abc import Sequence

from plantstore import operations
from plantstore.database import Database
from plantstore.errors import (
    AlreadyStoredError,
    IdTakenError,
    RequestError,
    StoreFullError,
)
from plantstore.http.bulk_lines import Line, write_result
from plantstore.model import Caller, NewPlant

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
        running, self._running = self._running, None
        if running is None:
            await asyncio.sleep(0)  # windows of blank lines alone leave the loop to others, too
        else:
            await asyncio.wait([running])
        results = b"" if running is None else running.result()
        if window and not self.are_over:
            await self._writing.acquire()
            self._running = asyncio.get_running_loop().create_task(self._write(window))
            self._running.add_done_callback(lambda _: self._writing.release())
        return results

    async def _write(self, window: Sequence[Line]) -> bytes:
        plants = [plant for _, plant in window if isinstance(plant, NewPlant)]
        errors = iter(await operations.create_plants(self._database, self._caller, plants))
        results = []
        for number, decoded in window:
            error = next(errors) if isinstance(decoded, NewPlant) else decoded
            self.are_over = self.are_over or not (error is None or isinstance(error, _OF_ONE_LINE))
            results.append(write_result(number, error))
        self.next_line = window[-1][0] + 1
        return b"".join(results)
