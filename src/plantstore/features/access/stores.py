"""The deletion of stores."""

from plantstore.sql.administration.records import require_store
from plantstore.sql.session import Queries, Session

_ROWS = ("plants", "events", "keys")


def close_store(session: Queries, name: str) -> int:
    """End all access to a store before its deletion; returns its number."""
    store = require_store(session, name)
    session.query("note_deleted_store", store.store_id, store.revision)
    session.query("delete_members_of_store", store.store_id)
    return store.store_id


def delete_store(session: Session, store_id: int) -> None:
    """Remove a closed store with its plants, events and tokens, in transactions of its own.

    It is deleted in parts, so that writes of other stores get their turn.
    """
    are_left = True
    while are_left:
        with session.transaction():
            are_left = _delete_rows(session, store_id)
    with session.transaction():
        while _delete_rows(session, store_id):  # the first query locks out other writes
            pass
        session.query("delete_store", store_id)


def _delete_rows(session: Queries, store_id: int) -> bool:
    """Delete some thousand rows of each table; returns whether there were any.

    The revision rises, because a deletion may be interrupted, and caches and entity tags depend on
    the revision.
    """
    deleted = [session.query(f"delete_{rows}_of_store", store_id) for rows in _ROWS]
    session.query("raise_revision", store_id, -len(deleted[0]))
    return any(deleted)
