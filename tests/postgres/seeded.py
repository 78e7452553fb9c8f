"""Runs the plantstore command line with a fault of its own, for the checkers to find.

``PLANTSTORE_TEST_FAULT=early python -m tests.postgres.seeded serve``: see ``FAULTS``.
"""

import asyncio
import os
import time
from collections.abc import Callable, Sequence

from plantstore.cli import main
from plantstore.model import Outcome
from plantstore.postgres import database as postgres
from plantstore.postgres.connections import Connections
from plantstore.postgres.writer import Writer
from plantstore.settings import Settings
from plantstore.sql.queries import load_queries
from plantstore.sql.session import Row
from plantstore.sql.writes import Create, Write

VARIABLE = "PLANTSTORE_TEST_FAULT"
_EARLY_SECONDS = 0.02
_LATE_SECONDS = 0.05


class EarlyWriter(Writer):
    """Tells of writes before they are committed."""

    async def run(self, items: Sequence[Write]) -> Sequence[Outcome | Exception]:
        """The outcomes as they will be, if all is well."""
        task = asyncio.ensure_future(self._run_later(items))
        await asyncio.wait([task], timeout=_EARLY_SECONDS)
        return [Outcome.CREATED if isinstance(one, Create) else Outcome.DELETED for one in items]

    async def _run_later(self, items: Sequence[Write]) -> None:
        await asyncio.sleep(2 * _EARLY_SECONDS)
        await super().run(items)
        self._send()  # those that wait for these


class LaggingConnections(Connections):
    """Reads pages as they were a little while ago, as from a standby that is behind."""

    def __init__(self, settings: Settings, most: int) -> None:
        super().__init__(settings, most)
        self._read: dict[tuple[object, ...], tuple[float, Sequence[Row]]] = {}

    async def read(self, query: str, arguments: Sequence[object]) -> Sequence[Row]:
        """See ``Connections``."""
        if isinstance(arguments[0], list):  # callers are found as they are
            return await super().read(query, arguments)
        asked = (query, *arguments)
        at, rows = self._read.get(asked, (0.0, []))
        if time.monotonic() - at > _LATE_SECONDS:
            rows = await super().read(query, arguments)
            self._read[asked] = (time.monotonic(), rows)
        return rows


def _load_unlocked(package: str) -> dict[str, str]:
    """The queries, but none takes the lock of a store, and each write takes its time."""
    queries = load_queries(package)
    unlocked = queries["lock_stores"].replace("FOR NO KEY UPDATE", "")
    slow = "FROM (SELECT pg_sleep(0.02)) AS slow CROSS JOIN ROWS FROM ("
    write = queries["write_batch"].replace("FROM ROWS FROM (", slow)
    assert queries["lock_stores"] != unlocked
    assert queries["write_batch"] != write
    return queries | {"lock_stores": unlocked, "write_batch": write}


def _replace(name: str, replacement: object) -> Callable[[], None]:
    return lambda: setattr(postgres, name, replacement)


FAULTS = {
    "early": _replace("Writer", EarlyWriter),
    "lagging": _replace("Connections", LaggingConnections),
    "unlocked": _replace("load_queries", _load_unlocked),
}

if __name__ == "__main__":
    FAULTS[os.environ[VARIABLE]]()
    main()
