"""Checks whether the server can be used: it took a write in the last second, or answers a query.

The query is sent only on request and at most once a second, and nobody waits longer for it.
"""

import asyncio
import math
from contextlib import suppress

from plantstore.core.errors import DatabaseUnavailableError
from plantstore.postgres.availability import READ_ONLY, SILENT
from plantstore.postgres.pool import Pool, Query

_INTERVAL = 1.0


class Readiness:
    """Checks the server of a pool; ``queries`` are a small one and one for its read-only state."""

    def __init__(self, pool: Pool, *queries: Query) -> None:
        self._pool = pool
        self._availability = pool.availability
        self._queries = queries
        self._loop = asyncio.get_running_loop()
        self._probed_at = -math.inf
        self._probe: asyncio.Future[None] | None = None

    async def find_reason(self) -> str | None:
        """Why the database cannot be used, as of the last second; None if it can."""
        known = self._availability
        if not known.is_open:
            return known.reason or SILENT
        if self._loop.time() - max(known.written_at, self._probed_at) >= _INTERVAL:
            self._start_probe()
        if self._probed_at > known.written_at and not await self._has_ended():
            return SILENT
        return known.reason or known.refusal

    def _start_probe(self) -> None:
        if self._probe is None or self._probe.done():
            self._probed_at = self._loop.time()
            self._probe = asyncio.ensure_future(self._run_probe())

    async def _has_ended(self) -> bool:
        """Whether the probe ends within a second of its start."""
        probe, seconds = self._probe, self._probed_at + _INTERVAL - self._loop.time()
        if probe is not None and not probe.done() and seconds > 0:
            await asyncio.wait([probe], timeout=seconds)
        return probe is None or probe.done()

    async def _run_probe(self) -> None:
        with suppress(DatabaseUnavailableError):
            _, ((read_only,),) = await self._pool.read(*self._queries)
            self._note_read_only(is_read_only=read_only == "on")

    def _note_read_only(self, *, is_read_only: bool) -> None:
        known = self._availability
        if is_read_only:
            known.refusal = READ_ONLY
        elif known.refusal == READ_ONLY or self._loop.time() - known.refused_at >= _INTERVAL:
            known.refusal = None
