"""Checks whether the server can be used: it accepted a write recently, or answers a query.

The query is sent only on request, at most once a second, and waits at most a second.
"""

import asyncio
import math
from contextlib import suppress

from plantstore.core.errors import DatabaseUnavailableError
from plantstore.postgres.availability import MIGRATED, READ_ONLY, SILENT
from plantstore.postgres.pool import Pool
from plantstore.sql.migrations import find_newest

_INTERVAL = 1.0


class Readiness:
    """Checks the server of a pool."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._loop = asyncio.get_running_loop()
        self._probed_at = -math.inf
        self._probe: asyncio.Future[None] = self._loop.create_future()
        self._probe.set_result(None)

    async def check(self) -> None:
        """See ``Database``."""
        known, now = self._pool.availability, self._loop.time()
        is_due = now - max(known.written_at, self._probed_at) >= _INTERVAL
        if known.is_open and is_due and self._probe.done():
            self._probed_at, self._probe = now, asyncio.ensure_future(self._run_probe())
        await asyncio.wait([self._probe], timeout=max(self._probed_at + _INTERVAL - now, 0))
        is_proved = self._probe.done() or known.written_at > self._probed_at
        reason = known.reason or known.refusal
        if reason or not (known.is_open and is_proved):
            raise DatabaseUnavailableError(reason=reason or SILENT)

    async def _run_probe(self) -> None:
        known = self._pool.availability
        with suppress(DatabaseUnavailableError):
            _, ((read_only,),), ((since,),) = await self._pool.read(
                ("find_counts", (0,)), ("find_read_only", ()), ("find_compatible_since", ())
            )
            if since > find_newest("plantstore.postgres"):
                known.refusal = MIGRATED
            elif read_only == "on":
                known.refusal = READ_ONLY
            elif self._loop.time() - known.refused_at >= _INTERVAL:
                known.refusal = None
