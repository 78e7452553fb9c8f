"""The copy: everything of the source, as it is at one moment, into the target.

Invariant: a copy that was killed at any moment is resumed by the next one: a store's
plants come before its events, its revision rises with its events, its members come last.
"""

from collections.abc import Iterator, Mapping, Sequence

from plantstore.sql.copying.batch import Batch
from plantstore.sql.copying.history import require_earlier_state
from plantstore.sql.copying.tables import (
    EVENTS,
    KEYS,
    MEMBERS,
    PLANTS,
    STORES,
    TOKENS,
    USERS,
    Pair,
    Table,
    find_first_event,
    in_parts,
    pair_rows,
    read_pages,
    read_rows,
)
from plantstore.sql.copying.verification import verify
from plantstore.sql.session import Row, Session


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
        return sum(
            self._source.query("count_rows_of_store", store_id)[0][0]
            for store_id, *_ in read_rows(self._source, STORES)
        )

    def write(self) -> Iterator[int]:
        """Write what the target lacks."""
        self._target.analyze()
        for part in self._parts(USERS):
            self._batch.insert(USERS, _missing(part))
        for store, found in self._pairs(STORES):
            if store is not None:
                yield from self._write_store(store, found)
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

    def _write_store(self, store: Row, found: Row | None) -> Iterator[int]:
        store_id, *_, revision = store
        if found is None:
            self._batch.insert(STORES, [store[:3]])
        reached: int = 0 if found is None else found[-1]
        is_behind = reached < revision
        self._batch.expect(store_id, reached)
        if is_behind and found is not None:
            self._delete_keys(store_id)
        yield from self._write_plants(store_id, is_behind=is_behind)
        if is_behind:
            self._write_keys(store_id)
        yield from self._write_missing(EVENTS, store_id)
        if is_behind:
            self._batch.set_revision(revision, store_id)
        if found is None or found[3:] != store[3:]:
            self._batch.finish_store(store, find_first_event(self._source, store_id))
        yield from self._write_tokens(store_id)
        yield from self._write_missing(MEMBERS, store_id)

    def _write_plants(self, store_id: int, *, is_behind: bool) -> Iterator[int]:
        """Plants that differ are replaced only if the source has later events to explain it."""
        for part in self._parts(PLANTS, store_id):
            if is_behind:
                stale = [theirs for ours, theirs in part if theirs not in (None, ours)]
                self._batch.delete_plants(stale, store_id)
                self._batch.insert(PLANTS, _differing(part), store_id)
            else:
                self._batch.insert(PLANTS, _missing(part), store_id)
            yield len(part)

    def _write_keys(self, store_id: int) -> None:
        for page in read_pages(self._source, KEYS, store_id):
            self._batch.insert(KEYS, page, store_id)

    def _delete_keys(self, store_id: int) -> None:
        """Delete keys that an earlier copy wrote: only the source's are valid now."""
        deleted = True
        while deleted:
            with self._target.transaction():
                deleted = bool(self._target.query("delete_keys_of_store", store_id))

    def _write_tokens(self, store_id: int) -> Iterator[int]:
        for part in self._parts(TOKENS, store_id):
            self._batch.insert(TOKENS, _missing(part), store_id)
            ended = [ours for ours, theirs in part if theirs is not None and ours != theirs]
            self._batch.end_tokens([ours for ours in ended if ours is not None], store_id)
            yield len(part)

    def _write_missing(self, table: Table, store_id: int) -> Iterator[int]:
        for part in self._parts(table, store_id):
            self._batch.insert(table, _missing(part), store_id)
            yield len(part)

    def _parts(self, table: Table, *store: int) -> Iterator[Sequence[Pair]]:
        return in_parts(self._pairs(table, *store))

    def _pairs(self, table: Table, *store: int) -> Iterator[Pair]:
        ours = read_rows(self._source, table, *store)
        return pair_rows(ours, read_rows(self._target, table, *store))


def _missing(pairs: Sequence[Pair]) -> Sequence[Row]:
    """The source's rows that the target lacks."""
    return [ours for ours, theirs in pairs if ours is not None and theirs is None]


def _differing(pairs: Sequence[Pair]) -> Sequence[Row]:
    """The source's rows that the target lacks or has in another form."""
    return [ours for ours, theirs in pairs if ours is not None and theirs != ours]
