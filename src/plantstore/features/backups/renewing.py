"""Renews what a restored database must not share with the replaced one: revisions and links.

Invariant: no revision of a store is given out twice with different contents, though the restored
database does not know those after the backup. See docs/decisions/0021.
"""

import time

from plantstore.core.model import INT64_MAX
from plantstore.sql.session import Session


def renew_revisions(session: Session) -> int:
    """Raise the revision of each store above all it can have had; returns how many stores.

    Its events count as trimmed up to there, since some after the backup may be missing. Links may
    have been used or revoked since: they end.
    """
    with session.transaction():
        session.query("delete_links", 0, INT64_MAX, 0, INT64_MAX)
        stores = session.query("list_stores")
        for store_id, *_ in stores:
            renew_revision(session, store_id)
    return len(stores)


def renew_revision(session: Session, store_id: int) -> None:
    """Raise a store's revision likewise, within a transaction in which nobody else writes to it."""
    session.query("renew_revision", store_id, time.time_ns() // 1000)
