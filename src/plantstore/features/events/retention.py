"""Trims old events, and access that ended before them, in steps that other writes do not feel.

Every process of a service does it; the second one finds nothing left to trim.

Invariants: nothing is trimmed by a clock that was set within the last hour. While a store has an
event, it has the user's name: a user goes after the tokens, and a token as long after its end as
events are kept.
"""

import asyncio
import logging
from contextlib import closing, suppress

from plantstore.core.database import Database
from plantstore.core.errors import PlantStoreError, SetupError
from plantstore.core.model import Outcome
from plantstore.features.events.steady_clock import SteadyClock
from plantstore.sql.session import OpenSession

logger = logging.getLogger(__name__)

_DAY_MS = 24 * 3600 * 1000
_STORES = 20  # looked at in a round
_ROUND_SECONDS = 1.0
_STEP_SECONDS = 0.02  # between two steps, for other writes
_ACCESS_MS = 3600 * 1000  # between two looks at access that ended: each reads all tokens
_ROWS = 100  # deleted in a step
_ACCESS = (
    ("find_ended_tokens", "delete_token"),
    ("find_ended_links", "delete_link"),
    ("find_unused_users", "delete_user"),
)


class Retention:
    """Keeps the events of a database for some days by the ``clock``."""

    def __init__(
        self, database: Database, open_session: OpenSession, days: float, clock: SteadyClock
    ) -> None:
        self._database = database
        self._open_session = open_session
        self._clock = clock
        self._keep = int(days * _DAY_MS)
        self._store_id = 0  # the last one that was looked at
        self._access_at = 0

    async def run(self) -> None:
        """Trim until cancelled."""
        while True:
            await asyncio.sleep(_ROUND_SECONDS)
            now = self._clock.read()
            if now is not None:
                with suppress(PlantStoreError):  # which the database logs; they are trimmed later
                    await self._trim_some(now - self._keep)
                if now - self._access_at >= _ACCESS_MS:
                    self._access_at = now
                    await self._delete_access(now - self._keep)

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

    async def _delete_access(self, before: int) -> None:
        try:
            are_left = True
            while are_left:
                are_left = await asyncio.to_thread(delete_ended_access, self._open_session, before)
                await asyncio.sleep(_STEP_SECONDS)
        except SetupError as error:
            logger.warning("access that ended long ago was not deleted: %s", error)


def delete_ended_access(open_session: OpenSession, before: int) -> bool:
    """Delete some of the access that ended before a time; whether there was any."""
    with closing(open_session()) as session:
        deleted = 0
        for find, delete in _ACCESS:
            rows = session.query(find, before, _ROWS)
            deleted += len(rows)
            with session.transaction():
                session.write_rows(delete, rows)
    return deleted > 0
