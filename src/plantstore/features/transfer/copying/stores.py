"""The copy of some stores that follow one another: of many small ones, or of a large one.

What happened since an earlier copy is in their events. A store keeps its number, which its tokens
contain.

Invariant: a copy that was killed is resumed by the next one: a store's revision is raised with its
events, or after all plants and events of a new store. Its tokens and members come last: before them
nobody has access to it.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence, Sized
from itertools import groupby, product

from msgspec.structs import replace

from plantstore.core.database import Row
from plantstore.core.errors import SetupError
from plantstore.core.model import INT64_MAX
from plantstore.features.transfer.copying.users import Translate
from plantstore.features.transfer.tables import (
    EVENTS,
    KEYS,
    KIND_OF_EVENT,
    MEMBERS,
    PLANT_OF_EVENT,
    PLANTS,
    STORES,
    TOKENS,
    StoreRow,
    Table,
    in_parts,
    read_pages,
    read_rows,
)
from plantstore.sql.session import Session

MAX_ROWS = 10_000  # of a transaction
MAX_STORES = 1000  # of a group

StorePair = tuple[StoreRow, StoreRow | None]  # the source's, and the target's if it has it

_DELETED = "plant.deleted"


def group_stores(pairs: Iterable[StorePair]) -> Iterator[list[StorePair]]:
    """Stores that are copied together: all are new, or none is."""
    for _, alike in groupby(pairs, _is_new):
        group: list[StorePair] = []
        rows = 0
        for pair in alike:
            if group and (rows + pair[0].rows > MAX_ROWS or len(group) == MAX_STORES):
                yield group
                group, rows = [], 0
            group.append(pair)
            rows += pair[0].rows
        yield group


def _is_new(pair: StorePair) -> bool:
    ours, theirs = pair
    return theirs is None or theirs.revision == 0 < ours.revision


class StoresCopy:
    """A copy of a group of stores, within a snapshot of the source."""

    def __init__(
        self,
        source: Session,
        target: Session,
        group: Sequence[StorePair],
        translate: Translate,
        written: Counter[str],
    ) -> None:
        self._source = source
        self._target = target
        self._group = group
        self._translate = translate
        self._written = written
        self._range = (group[0][0].store_id, group[-1][0].store_id)
        # The target's revisions, by store.
        self._reached = {ours.store_id: theirs.revision for ours, theirs in group if theirs}
        self._behind = {ours.store_id for ours, _ in group} - {
            ours.store_id for ours, theirs in group if theirs and theirs.revision == ours.revision
        }

    def write(self) -> Iterator[int]:
        """Write what the target lacks; yields, repeatedly, how many more rows were written.

        :raises SetupError: somebody else has changed a store of the target.
        """
        steps, rows = self._write_steps(), MAX_ROWS + 1
        while rows > MAX_ROWS:  # else it was the last transaction
            rows = 0
            with self._target.transaction():
                reached = map(tuple, self._target.query("lock_revisions", *self._range))
                if dict(reached) != self._reached:
                    raise SetupError(
                        f"{self._target.location} was changed during the copy: stop its service"
                    )
                for written in steps:
                    rows += written
                    if rows > MAX_ROWS:
                        break
            yield rows

    def _write_steps(self) -> Iterator[int]:
        """All in transactions, which may end after each step."""
        are_new = _is_new(self._group[0])
        begun = self._behind & self._reached.keys()
        self._write_missing_stores()
        # An interrupted copy may have left some of a new store; keys are always replaced.
        parts = ("plants", "events", "keys") if are_new else ("keys",)
        for part, store_id in product(parts, begun):
            while deleted := len(self._target.query(f"delete_{part}_of_store", store_id)):
                yield deleted
        for page in self._read_pages(KEYS) if self._behind else ():
            yield self._insert(KEYS, [row for row in page if row[0] in self._behind])
        if are_new:
            for page in self._read_pages(PLANTS):
                yield self._insert(PLANTS, page)
            for page in self._read_pages(EVENTS):
                yield self._insert(EVENTS, page)
        else:
            yield from self._follow()
        self._set_stores()
        self._replace(TOKENS, "delete_token")
        self._replace(MEMBERS, "delete_member")

    def _write_missing_stores(self) -> None:
        missing = [ours.identity for ours, theirs in self._group if theirs is None]
        if self._insert(STORES, missing):
            self._write("copy_revisions", [row[:1] for row in missing])
            self._target.advance_sequences()
        self._reached |= {store_id: 0 for store_id, *_ in missing}

    def _follow(self) -> Iterator[int]:
        """Apply the events since the target's revisions, some thousand at a time."""
        for events in in_parts(self._read_later_events()):
            last = {PLANTS.key(_plant_of(event)): event for event in events}
            changed = [_plant_of(row) for row in last.values() if row[KIND_OF_EVENT] != _DELETED]
            self._write("delete_plant", list(last))
            self._insert(PLANTS, changed)
            self._insert(EVENTS, self._translate(EVENTS, events))
            revisions = dict(map(EVENTS.key, events))
            self._write("set_revision", list(revisions.items()))
            self._reached |= revisions
            yield len(events)

    def _read_later_events(self) -> Iterator[Row]:
        for store_id in self._behind:
            later = replace(EVENTS, first=(self._reached[store_id] + 1,))
            yield from read_rows(self._source, later, (store_id, store_id))

    def _set_stores(self) -> None:
        """Set what else their rows say, and trim their events as the source has."""
        changed = [ours for ours, theirs in self._group if ours != theirs]
        self._write("set_revision", [(ours.store_id, ours.revision) for ours in changed])
        first = []  # by store, the first event that the source still has; above all if it has none
        for ours, theirs in self._group:
            if theirs and ours.trimmed:
                rows = self._source.query(EVENTS.read, ours.store_id, 0, ours.store_id, 1)
                first.append(EVENTS.key(rows[0]) if rows else (ours.store_id, INT64_MAX))
        self._write("delete_events_before", first)
        settings = [(ours.store_id, ours.max_plants, ours.trimmed) for ours in changed]
        self._write("set_store", settings)

    def _replace(self, table: Table, delete: str) -> None:
        """Make the rows of a table those of the source."""
        ours = {table.key(row): row for page in self._read_pages(table) for row in page}
        theirs = {table.key(row): row for row in read_rows(self._target, table, self._range)}
        changed = {key: row for key, row in ours.items() if theirs.get(key) != row}
        removed = theirs.keys() - ours.keys()
        self._write(delete, [*(theirs.keys() & changed.keys()), *removed])
        self._insert(table, list(changed.values()))
        self._count(f"removed {table.name}", removed)

    def _read_pages(self, table: Table) -> Iterator[Sequence[Row]]:
        """The source's rows, with the target's users; within a transaction, to create these."""
        for page in read_pages(self._source, table, self._range):
            yield self._translate(table, page)

    def _insert(self, table: Table, rows: Sequence[Row]) -> int:
        """Write rows, and count them; how many they are."""
        self._write(table.write, rows)
        self._count(table.name, rows)
        return len(rows)

    def _write(self, query: str, rows: Sequence[Row]) -> None:
        if rows:
            self._target.write_rows(query, rows)

    def _count(self, words: str, rows: Sized) -> None:
        if rows:
            self._written[words] += len(rows)


def _plant_of(event: Row) -> Row:
    """The row of an event's plant, as the event left it."""
    return (event[0], *event[PLANT_OF_EVENT])
