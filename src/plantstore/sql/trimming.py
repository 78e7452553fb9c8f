"""Deletes old rows in small steps between other writes."""

from functools import partial

from plantstore.sql.session import Session

STEP_SECONDS = 0.02  # between two steps, for other writes
KEY_DAYS = 1  # that Idempotency-Keys are kept at least
_ROWS = 100  # deleted per step


def delete_rows(query: str, pause: float, session: Session, before: int) -> float:
    """Delete some rows from before a time; returns the seconds to the next, at last ``pause``."""
    with session.transaction():
        deleted = session.query(query, before, _ROWS)
    return STEP_SECONDS if deleted else pause


trim_keys = partial(delete_rows, "delete_old_keys", 60.0)
