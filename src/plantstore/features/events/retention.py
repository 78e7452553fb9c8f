"""Trims old events: store after store, in steps that other writes do not feel.

Every process of a service does it; the second one finds nothing left to trim.

Invariant: nothing is trimmed by a clock that was set within the last hour.
"""

import asyncio
from contextlib import suppress

from plantstore.core.database import Database
from plantstore.core.errors import PlantStoreError
from plantstore.core.model import Outcome
from plantstore.features.events.steady_clock import SteadyClock

_DAY_MS = 24 * 3600 * 1000
_STORES = 20  # looked at in a round
_ROUND_SECONDS = 1.0
_STEP_SECONDS = 0.02  # between two steps, for other writes


class Retention:
    """Keeps the events of a database for some days by the ``clock``."""

    def __init__(self, database: Database, days: float, clock: SteadyClock) -> None:
        self._database = database
        self._clock = clock
        self._keep = int(days * _DAY_MS)
        self._store_id = 0  # the last one that was looked at

    async def run(self) -> None:
        """Trim until cancelled."""
        while True:
            await asyncio.sleep(_ROUND_SECONDS)
            now = self._clock.read()
            if now is not None:
                with suppress(PlantStoreError):  # which the database logs; they are trimmed later
                    await self._trim_some(now - self._keep)

    async def _trim_some(self, before: int) -> None:
        for _ in range(_STORES):
            rows = await self._database.read("find_oldest_event", self._store_id)
            if not rows:
                self._store_id = 0  # again from the first one on
                return
            self._store_id, at = rows[0]
            if at < before:
                await self._trim(self._store_id, before)

    async def _trim(self, store_id: int, before: int) -> None:
        outcome = Outcome.TRIMMED
        while outcome is Outcome.TRIMMED:
            outcome = await self._database.trim_events(store_id, before)
            await asyncio.sleep(_STEP_SECONDS)
