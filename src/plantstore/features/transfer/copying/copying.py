"""The copy: everything of the source, as it is at one moment, into the target.

Invariant: a copy that was killed at any moment is resumed by the next one: a store's
plants come before its events, its revision rises with its events, its members come last.
"""

from collections.abc import Container, Iterator, Mapping, Sequence

from plantstore.database import Row
from plantstore.features.transfer.copying.batch import Batch
from plantstore.features.transfer.copying.comparing import require_earlier_state, verify
from plantstore.sql.session import Session
from plantstore.sql.tables import (
    ALL,
    EVENTS,
    KEYS,
    MEMBERS,
    PLANTS,
    STORES,
    TOKENS,
    USERS,
    Pair,
    Stores,
    Table,
    find_first_event,
    in_parts,
    pair_rows,
    read_pages,
)


class Copy:
    """A copy between sessions, within a snapshot of the source; its steps, in order.

    The long steps yield, repeatedly, how many more rows of stores they have processed.
    """

    def __init__(self, source: Session, target: Session) -> None:
        self._source = source
        self._target = target
        self._batch = Batch(target)

    def check(self) -> None:
        """Refuse a target that has rows of its own, before anything is written.

        :raises SetupError: it has some.
        """
        with self._target.snapshot():
            require_earlier_state(self._source, self._target)

    def count_rows(self) -> int:
        """How many rows the stores have: the sum of what each of the next steps yields."""
        ((count,),) = self._source.query("count_rows", *ALL)
        return int(count)

    def write(self) -> Iterator[int]:
        """Write what the target lacks, some thousand stores at a time."""
        self._target.analyze()
        for part in in_parts(self._pairs(USERS)):
            self._batch.insert(USERS, _missing(part))
        for part in in_parts(self._pairs(STORES)):
            found = [(ours, theirs) for ours, theirs in part if ours is not None]
            if found:
                yield from self._write_stores(found)
        self._batch.write()
        self._target.analyze()

    def verify(self) -> Iterator[int]:
        """Compare all of both databases.

        :raises SetupError: they differ.
        """
        with self._target.snapshot():
            yield from verify(self._source, self._target)

    @property
    def written(self) -> Mapping[str, int]:
        """How many rows of which kind were written."""
        return {words: count for words, count in self._batch.written.items() if count}

    def _write_stores(self, found: Sequence[tuple[Row, Row | None]]) -> Iterator[int]:
        self._batch.insert(STORES, [ours[:3] for ours, theirs in found if theirs is None])
        behind = set()  # stores of which the source has later events
        for ours, theirs in found:
            reached = 0 if theirs is None else theirs[-1]
            self._batch.expect(ours[0], reached)
            if reached < ours[-1]:
                behind.add(ours[0])
                if theirs is not None:
                    self._delete_keys(ours[0])
        stores = (found[0][0][0], found[-1][0][0])
        yield from self._write_plants(stores, behind)
        self._write_keys(stores, behind)
        yield from self._write_missing(EVENTS, stores)
        for ours, theirs in found:
            if theirs is None or theirs[3:] != ours[3:]:
                first = find_first_event(self._source, ours[0]) if ours[-2] else None
                self._batch.finish_store(ours, first)
        for table in (TOKENS, MEMBERS):
            yield from self._write_missing(table, stores)

    def _write_plants(self, stores: Stores, behind: Container[int]) -> Iterator[int]:
        """Plants that differ are replaced only if the source has later events to explain it."""
        for part in in_parts(self._pairs(PLANTS, stores)):
            changed = [
                (ours, theirs)
                for ours, theirs in part
                if theirs is None or (theirs != ours and theirs[0] in behind)
            ]
            self._batch.delete_plants([theirs for _, theirs in changed if theirs is not None])
            self._batch.insert(PLANTS, [ours for ours, _ in changed if ours is not None])
            yield len(part)

    def _write_keys(self, stores: Stores, behind: Container[int]) -> None:
        for page in read_pages(self._source, KEYS, stores):
            self._batch.insert(KEYS, [row for row in page if row[0] in behind])

    def _delete_keys(self, store_id: int) -> None:
        """Delete keys that an earlier copy wrote: only the source's are valid now."""
        deleted = True
        while deleted:
            with self._target.transaction():
                deleted = bool(self._target.query("delete_keys_of_store", store_id))

    def _write_missing(self, table: Table, stores: Stores) -> Iterator[int]:
        for part in in_parts(self._pairs(table, stores)):
            self._batch.insert(table, _missing(part))
            if table is TOKENS:
                both = [(ours, theirs) for ours, theirs in part if ours and theirs]
                self._batch.end_tokens([ours for ours, theirs in both if ours != theirs])
            yield len(part)

    def _pairs(self, table: Table, stores: Stores = ALL) -> Iterator[Pair]:
        return pair_rows(self._source, self._target, table, stores)


def _missing(pairs: Sequence[Pair]) -> Sequence[Row]:
    """The source's rows that the target lacks."""
    return [ours for ours, theirs in pairs if ours is not None and theirs is None]
