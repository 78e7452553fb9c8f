"""Trims old events, and access that ended before them, in small steps between other writes.

Every process of a service does it; later ones find nothing left to trim.

Invariants: nothing is trimmed by a clock that was set within the last hour. While a store has an
event, it has the user's name: a user goes after the tokens, and a token as long after its end as
events are kept.
"""

import asyncio
import logging
from contextlib import closing, suppress

from plantstore.core.clock import DAY_MS
from plantstore.core.database import Database
from plantstore.core.errors import PlantStoreError, SetupError
from plantstore.core.model import Outcome
from plantstore.features.events.steady_clock import SteadyClock
from plantstore.sql.session import OpenSession

logger = logging.getLogger(__name__)

_STORES = 20  # checked in a round
_ROUND_SECONDS = 1.0
_STEP_SECONDS = 0.02  # between two steps, for other writes
_ACCESS_MS = 3600 * 1000  # between two checks of ended access: each reads all tokens
_ROWS = 100  # deleted in a step
_ACCESS = (
    ("find_ended_tokens", "delete_token"),
    ("find_ended_links", "delete_link"),
    ("find_unused_users", "delete_user"),
)


async def trim(
    database: Database, open_session: OpenSession, days: float, clock: SteadyClock
) -> None:
    """Trim events older than some days, until cancelled."""
    store_id, access_at = 0, 0  # the last store that was looked at; when access was looked at
    while True:
        await asyncio.sleep(_ROUND_SECONDS)
        now = clock.read()
        if now is None:
            continue
        before = now - int(days * DAY_MS)
        with suppress(PlantStoreError):  # the database logs it; they are trimmed later
            store_id = await _trim_some(database, store_id, before)
        if now - access_at >= _ACCESS_MS:
            access_at = now
            await _delete_access(open_session, before)


async def _trim_some(database: Database, store_id: int, before: int) -> int:
    """Trim the next stores after one, and return the last of them; 0 after the last of all."""
    for _ in range(_STORES):
        rows = await database.read("find_oldest_event", store_id)
        if not rows:
            return 0
        store_id, at = rows[0]
        while at < before and await database.trim_events(store_id, before) is Outcome.TRIMMED:  # noqa: ASYNC110 - a pause
            await asyncio.sleep(_STEP_SECONDS)
    return store_id


async def _delete_access(open_session: OpenSession, before: int) -> None:
    try:
        while await asyncio.to_thread(delete_ended_access, open_session, before):  # noqa: ASYNC110 - a pause
            await asyncio.sleep(_STEP_SECONDS)
    except SetupError as error:
        logger.warning("could not delete access that ended long ago: %s", error)


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
