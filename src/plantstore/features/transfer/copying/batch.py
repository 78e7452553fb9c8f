"""Writes the copied rows to the target, about twenty thousand per transaction.

Invariant: each transaction leaves an earlier state of the source, or a part of one, from which the
next copy resumes; and none is committed if somebody else has changed the store meanwhile.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from plantstore.database import Row
from plantstore.errors import SetupError
from plantstore.sql.session import Session
from plantstore.sql.tables import (
    EVENTS,
    KEYS,
    MEMBERS,
    PLANTS,
    STORES,
    TOKENS,
    USERS,
    Table,
)

BATCH_ROWS = 20_000

# Referenced rows come first. Members come last: before them, nobody has access to a new store.
_FIRST = (USERS.write, STORES.write, "copy_revisions")
_THEN = (
    "delete_plant",
    PLANTS.write,
    KEYS.write,
    EVENTS.write,
    "set_revision",
    "delete_events_before",
    "set_store",
    TOKENS.write,
    "set_expiry",
    "revoke_token",
    MEMBERS.write,
)


class Batch:
    """The rows of the next transaction on ``target``; ``written`` counts those of all, by kind."""

    def __init__(self, target: Session) -> None:
        self._target = target
        self._rows: defaultdict[str, list[Row]] = defaultdict(list)
        self._size = 0
        self._touched: set[int] = set()
        self._revisions: dict[int, int] = {}
        self.written: Counter[str] = Counter()

    def expect(self, store_id: int, revision: int) -> None:
        """Set the revision at which the target has the store, before any of its rows."""
        self._revisions[store_id] = revision

    def insert(self, table: Table, rows: Sequence[Row]) -> None:
        """Add rows that a table lacks."""
        self._add(table.write, rows, *{row[0] for row in rows if table not in (USERS, STORES)})
        if table is STORES:
            self._add("copy_revisions", [row[:1] for row in rows])
        if table is EVENTS:
            self._add("set_revision", list({row[0]: row[:2] for row in rows}.values()))
        self._count(table.name, rows)

    def delete_plants(self, rows: Sequence[Row]) -> None:
        """Delete the plants of these rows."""
        self._add("delete_plant", [row[:2] for row in rows], *{row[0] for row in rows})
        self._count("deleted plants", rows)

    def end_tokens(self, rows: Sequence[Row]) -> None:
        """Let tokens expire, and be revoked, at the times in these rows."""
        stores = {row[0] for row in rows}
        self._add("set_expiry", [(*row[:2], row[-2]) for row in rows], *stores)
        self._add("revoke_token", [(*row[:2], row[-1]) for row in rows], *stores)
        self._count("ended tokens", rows)

    def finish_store(self, store: Row, first_event: int | None) -> None:
        """Set what else the store's row says, after all of its plants and events.

        Events before ``first_event`` are removed, as they were from the source.
        """
        store_id, *_, max_plants, trimmed, revision = store
        self._add("set_revision", [(store_id, revision)], store_id)
        if first_event is not None:
            self._add("delete_events_before", [(store_id, first_event)])
        self._add("set_store", [(store_id, max_plants, trimmed)])

    def write(self) -> None:
        """Write what is waiting."""
        with self._target.transaction():
            self._write(_FIRST)
            if any(self._rows[query] for query in _FIRST):
                self._target.advance_sequences()
            self._hold()
            self._write(_THEN)
        self._revisions.update({row[0]: row[1] for row in self._rows["set_revision"]})
        self._rows.clear()
        self._touched.clear()
        self._size = 0

    def _add(self, query: str, rows: Sequence[Row], *stores: int) -> None:
        self._rows[query] += rows
        self._touched.update(stores)
        self._size += len(rows)

    def _count(self, words: str, rows: Sequence[Row]) -> None:
        self.written[words] += len(rows)
        if self._size >= BATCH_ROWS:
            self.write()

    def _write(self, queries: Iterable[str]) -> None:
        for query in queries:
            if rows := self._rows[query]:
                self._target.write_rows(query, rows)

    def _hold(self) -> None:
        """Keep others from changing the stores until the transaction ends."""
        if not self._touched:
            return
        rows = self._target.query("lock_revisions", min(self._touched), max(self._touched))
        found = dict(map(tuple, rows))
        for store_id in self._touched:
            if found.get(store_id) != self._revisions[store_id]:
                raise SetupError(
                    f"{self._target.location} was changed during the copy: stop its service"
                )
