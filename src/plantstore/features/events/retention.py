"""Trims old events, and access that ended before them, in small steps between other writes.

Invariant: while an event is kept, its user's name is kept: a token is deleted only when events of
its time are trimmed, and a user only after the tokens.
"""

from plantstore.sql.session import Session
from plantstore.sql.trimming import STEP_SECONDS

MAX_TRIMMED = 500  # events of one store per step, so that writes do not wait
_STORES = 20  # checked per step
_ROUND_SECONDS = 1.0
_ACCESS_SECONDS = 3600.0  # between two checks of ended access, which read all tokens
_ROWS = 100  # of ended access, deleted per step
_ACCESS = (
    ("find_ended_tokens", "delete_token"),
    ("find_ended_links", "delete_link"),
    ("find_unused_users", "delete_user"),
)


class EventTrimming:
    """Trims the events of one store after another."""

    def __init__(self) -> None:
        self._store_id = 0  # the last store that was checked

    def trim(self, session: Session, before: int) -> float:
        """Trim the next events from before a time; returns the seconds until the next step."""
        for _ in range(_STORES):
            rows = session.query("find_oldest_event", self._store_id)
            if not rows:
                self._store_id = 0
                break
            store_id, at = rows[0]
            if at < before and trim_events(session, store_id, before):
                return STEP_SECONDS
            self._store_id = store_id
        return _ROUND_SECONDS


def trim_events(session: Session, store_id: int, before: int) -> bool:
    """Delete a store's oldest events from before a time; returns whether there were any."""
    with session.transaction():
        ((oldest, first_kept),) = session.query("find_old_events", store_id, before, MAX_TRIMMED)
        if oldest == first_kept:
            return False
        session.query("delete_old_events", store_id, oldest, first_kept)
        session.query("set_trimmed", store_id, first_kept - 1)
    return True


def trim_access(session: Session, before: int) -> float:
    """Delete some access that ended before a time; returns the seconds until the next step."""
    deleted = 0
    for find, delete in _ACCESS:
        if rows := session.query(find, before, _ROWS):
            deleted += len(rows)
            with session.transaction():
                session.write_rows(delete, rows)
    return STEP_SECONDS if deleted else _ACCESS_SECONDS
