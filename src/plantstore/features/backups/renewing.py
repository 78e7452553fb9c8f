"""Renews what a restored database must not share with the replaced database: revisions and links.

Invariant: no revision of a store is used twice for different contents, though the restored database
does not know the revisions after the backup. See docs/decisions/0021.
"""

import time

from plantstore.core.model import INT64_MAX
from plantstore.sql.session import Session


def renew_revisions(session: Session) -> int:
    """Raise each store's revision above any that it can have had; returns the number of stores.

    Events count as trimmed up to the new revision, since events after the backup may be missing.
    All links end, since they may have been used or revoked after the backup.
    """
    with session.transaction():
        session.query("delete_links", 0, INT64_MAX, 0, INT64_MAX)
        stores = session.query("list_stores")
        for store_id, *_ in stores:
            renew_revision(session, store_id)
    return len(stores)


def renew_revision(session: Session, store_id: int) -> None:
    """Do the same for one store, in a transaction in which nobody else writes to it."""
    session.query("renew_revision", store_id, time.time_ns() // 1000)
