"""Deletes again what an unfinished import has written, from its last plant to its first.

Invariant: a plant that anybody else has changed since stays as it is. An undo that was killed is
finished by the next one.
"""

from collections.abc import Iterator

from msgspec.structs import replace

from plantstore.model import INT64_MAX
from plantstore.sql.importing.store import LABEL, PORTION_ROWS, ImportStore


def undo(store: ImportStore, digest: str | None = None) -> Iterator[int]:
    """Undo the store's unfinished import, of the file with this digest or of any.

    Yields, repeatedly, how many more plants were deleted.
    """
    with store.session.transaction():
        store.lock()
        journal = store.find_journal()
        if journal is None or digest not in (None, journal.digest):
            return
        store.write_journal(replace(journal, reached=None))
    others: set[int] = set()
    reached, before = journal.revision, INT64_MAX
    while True:
        reached = _add_others(others, store, reached)  # most, before anybody has to wait
        with store.session.transaction():
            store.lock()
            reached = _add_others(others, store, reached)
            bounds = (journal.revision, before, LABEL, PORTION_ROWS)
            rows = store.session.query("page_of_imported", store.store_id, *bounds)
            if not rows:
                store.write_journal(None)
                return
            stored = store.find_plants(row[1] for row in rows)
            left = [(i, *stored[i]) for _, i in rows if i in stored and i not in others]
            store.delete(left)
        before = rows[-1][0]
        yield len(left)


def _add_others(ids: set[int], store: ImportStore, revision: int) -> int:
    """Add the ids of the plants that others have changed since a revision; the last one's."""
    while True:
        after = (store.store_id, revision, LABEL, PORTION_ROWS)
        rows = store.session.query("page_of_others_events", *after)
        ids.update(plant_id for _, plant_id in rows)
        if rows:
            revision = rows[-1][0]
        if len(rows) < PORTION_ROWS:
            return revision
