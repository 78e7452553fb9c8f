"""Runs the plantstore command line with an injected fault, which the checks must find.

``PLANTSTORE_TEST_FAULT=early python -m tests.postgres.fault_injection serve``: see ``FAULTS``.
"""

import asyncio
import os
import sys
import time
from collections.abc import Callable, Sequence

from plantstore.cli import main
from plantstore.model import Outcome, Page
from plantstore.postgres import database as postgres
from plantstore.postgres.pool import Pool
from plantstore.postgres.reading import PageRequest, Pages
from plantstore.postgres.writer import Writer
from plantstore.sql.queries import load_queries
from plantstore.sql.writes import Create, Write

VARIABLE = "PLANTSTORE_TEST_FAULT"
COMMAND = (sys.executable, "-m", "tests.postgres.fault_injection")
_EARLY_SECONDS = 0.02
_LATE_SECONDS = 0.5


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


class LaggingPages(Pages):
    """Reads pages as they were a little while ago, as from a standby that is behind."""

    def __init__(self, pool: Pool, sql: dict[str, str], max_waiting: int) -> None:
        super().__init__(pool, sql, max_waiting)
        self._read: dict[PageRequest, tuple[float, Page]] = {}

    async def run(self, items: Sequence[PageRequest]) -> Sequence[Page]:
        """See ``Pages``."""
        now = time.monotonic()
        fresh = {one for one, (at, _) in self._read.items() if now - at < _LATE_SECONDS}
        missing = list(set(items) - fresh)
        pages = await super().run(missing) if missing else []
        self._read |= {one: (now, page) for one, page in zip(missing, pages, strict=True)}
        return [self._read[one][1] for one in items]


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
    "lagging": _replace("Pages", LaggingPages),
    "unlocked": _replace("load_queries", _load_unlocked),
}

if __name__ == "__main__":
    FAULTS[os.environ[VARIABLE]]()
    main()
