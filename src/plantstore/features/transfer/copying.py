"""Copies a database, that is, its users and stores; or copies one store.

A store keeps its number, which its tokens contain. Only differences are written, so another copy
resumes an interrupted one.

Invariant: nothing is written unless the target's stores are earlier states of the source's, so a
copy never overwrites other writes. A new store has revision 0, and no tokens or members, until it
is complete; a later copy of a store is one transaction.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager

from plantstore.core.database import Row
from plantstore.core.errors import SetupError
from plantstore.databases import create_database, open_session, reading, require_database
from plantstore.features.transfer.conflicts import find_conflicts, is_earlier
from plantstore.features.transfer.tables import (
    EVENTS,
    KEYS,
    MEMBERS,
    PAGE_ROWS,
    PLANTS,
    STORES,
    TOKENS,
    USERS,
    Pair,
    StoreRow,
    Stores,
    Table,
    pair_rows,
    read_rows,
)
from plantstore.sql.administration.records import require_store
from plantstore.sql.administration.tokens import number_range
from plantstore.sql.changes import batched
from plantstore.sql.session import Queries, Session

MAX_ROWS = 10_000  # per transaction, except for a later copy of a store
MAX_STORES = 1000  # per transaction


@contextmanager
def open_copy(source_url: str, target_url: str, store: str | None = None) -> Iterator["Copy"]:
    """Open a copy of a database, or of one store, to another, in a snapshot of the source.

    A missing SQLite file is created for the copy.

    :raises SetupError: a database cannot be used, both are the same, or there is no such store.
    """
    require_database(source_url, "name another source")
    with reading(source_url) as source:
        store_id = None if store is None else require_store(source, store).store_id
        create_database(target_url)
        with closing(open_session(target_url)) as target:
            if source.location == target.location:
                raise SetupError(f"both URLs name {source.location}: give two databases")
            yield Copy(source, target, store, number_range(store_id))


class Copy:
    """A copy of everything, or of the store with this name, whose users are matched by name.

    Call ``check``, ``write`` and ``verify`` in this order. The last two yield how many more rows
    they have processed. ``written`` counts the written rows by kind.
    """

    def __init__(self, source: Queries, target: Session, store: str | None, stores: Stores) -> None:
        self._source = source
        self._target = target
        self._store = store
        self._user_ids: dict[int, int] = {}  # the target's user for a source's user
        self._range = stores
        self.written: Counter[str] = Counter()

    def check(self) -> None:
        """Refuse a target that has rows of its own, before anything is written.

        :raises SetupError: it has such rows; the message says which.
        """
        with self._target.snapshot():
            conflicts = find_conflicts(self._source, self._target, self._store, self._range)
            conflict = next(conflicts, None)
        if conflict is not None:
            advice = "delete it there, make the same change to the source"
            if self._store is not None:
                advice = (
                    f"run `plantstore restore BACKUP --store {self._store}`, where BACKUP is the "
                    f"source (if it is deleted, `plantstore store create {self._store}` first)"
                )
            raise SetupError(
                f"{self._target.location} has {conflict}, {self._source.location} does not: "
                f"{advice}, or copy to an empty database; nothing was written"
            )

    def count_rows(self) -> int:
        """The approximate number of plants and events."""
        return sum(store.rows for store in self._read_stores(self._source, self._range))

    def write(self) -> Iterator[int]:
        """Write what the target lacks.

        :raises SetupError: a store of the target was changed meanwhile.
        """
        if self._store is None:
            for part in batched(self._pairs(USERS, self._range), PAGE_ROWS):
                with self._target.transaction():
                    self._insert(USERS, [ours for ours, theirs in part if ours and theirs is None])
                    self._target.query("advance_sequences")
        for group in _group_stores(self._read_stores(self._source, self._range)):
            yield from self._write_group(group)
        self._target.query("analyze")

    def verify(self) -> Iterator[int]:
        """Compare the databases, or the store, except for idempotency keys, which expire.

        :raises SetupError: something differs.
        """
        with self._target.snapshot():
            tables = (STORES, MEMBERS, TOKENS, PLANTS, EVENTS)
            for table in tables if self._store else (USERS, *tables):
                for part in batched(self._pairs(table, self._range), PAGE_ROWS):
                    for ours, theirs in part:
                        if ours != theirs:
                            self._refuse(table, ours or theirs or ())
                    yield len(part) if table in {PLANTS, EVENTS} else 0

    def _write_group(self, group: Sequence[StoreRow]) -> Iterator[int]:
        """Write consecutive stores: many small stores, or a large one."""
        stores = (group[0].store_id, group[-1].store_id)
        existing = {store.store_id: store for store in self._read_stores(self._target, stores)}
        reached = {store.store_id: store.revision for store in existing.values()}
        are_earlier = all(
            is_earlier(self._source, self._target, store, existing[store.store_id])
            for store in group
            if store.store_id in existing
        )
        steps, rows = self._write_steps(group, stores, existing), MAX_ROWS + 1
        while rows > MAX_ROWS:  # fewer: it was the last transaction
            rows = 0
            with self._target.transaction():
                locked = dict(map(tuple, self._target.query("lock_revisions", *stores)))
                if locked != reached or not are_earlier:
                    raise SetupError(
                        f"{self._target.location} was changed during the copy: stop its service"
                    )
                for written in steps:
                    rows += written
                    if rows > MAX_ROWS and not any(reached.values()):
                        break
                else:
                    rows = min(rows, MAX_ROWS)
            reached = dict.fromkeys((store.store_id for store in group), 0) | reached
            yield rows

    def _write_steps(
        self, group: Sequence[StoreRow], stores: Stores, existing: dict[int, StoreRow]
    ) -> Iterator[int]:
        """The steps of the transactions, each of which may end after any step."""
        if missing := [store.identity for store in group if store.store_id not in existing]:
            self._insert(STORES, missing)
            self._target.write_rows("copy_revisions", [row[:1] for row in missing])
            self._target.query("advance_sequences")
        if changed := [store for store in group if existing.get(store.store_id) != store]:
            ids = {store.store_id for store in changed}
            for store_id in ids & existing.keys():
                while deleted := len(self._target.query("delete_keys_of_store", store_id)):
                    yield deleted
            for part in batched(self._read(KEYS, stores), PAGE_ROWS):
                self._insert(KEYS, [row for row in part if row[0] in ids])
                yield len(part)
            yield from self._write_differences(PLANTS, "delete_plant", stores)
            yield from self._write_differences(EVENTS, "delete_event", stores)
            rows = [(row.store_id, row.revision, row.max_plants, row.trimmed) for row in changed]
            self._target.write_rows("set_store", rows)
        for table, delete in ((TOKENS, "delete_token"), (MEMBERS, "delete_member")):
            sum(self._write_differences(table, delete, stores))

    def _write_differences(self, table: Table, delete: str, stores: Stores) -> Iterator[int]:
        for part in batched(self._pairs(table, stores), PAGE_ROWS):
            different = [(ours, theirs) for ours, theirs in part if ours != theirs]
            added = [ours for ours, _ in different if ours is not None]
            if removed := [table.key(theirs) for _, theirs in different if theirs is not None]:
                self._target.write_rows(delete, removed)
            self._insert(table, added)
            if len(different) > len(added):
                self.written[f"removed {table.name}"] += len(different) - len(added)
            yield len(part)

    def _insert(self, table: Table, rows: Sequence[Row]) -> None:
        if rows:
            self._target.write_rows(table.write, rows)
            self.written[table.name] += len(rows)

    def _pairs(self, table: Table, stores: Stores) -> Iterator[Pair]:
        return pair_rows(table, self._read(table, stores), read_rows(self._target, table, stores))

    def _read(self, table: Table, stores: Stores) -> Iterator[Row]:
        """The source's rows, with the target's users, which the transaction creates if missing."""
        rows = read_rows(self._source, table, stores)
        are_users = [column in {"user_id", "added_by"} for column in table.columns]
        if self._store is None or not any(are_users):
            return rows
        translated = (
            tuple(
                self._find_user(value) if is_user else value
                for value, is_user in zip(row, are_users, strict=True)
            )
            for row in rows
        )
        return iter(sorted(translated, key=table.key)) if table is MEMBERS else translated

    def _find_user(self, user_id: int | None) -> int | None:
        """The target's number of a user; a negative number, which nobody has, if deleted."""
        if user_id is None:
            return None
        if user_id not in self._user_ids:
            self._user_ids[user_id] = -abs(user_id)
            for _, subject, created_at in self._source.query(USERS.read, user_id, user_id, 1):
                if not self._target.query("find_user", subject):
                    self._target.query("insert_user", subject, created_at)
                    self.written[USERS.name] += 1
                ((self._user_ids[user_id], _),) = self._target.query("find_user", subject)
        return self._user_ids[user_id]

    def _read_stores(self, session: Queries, stores: Stores) -> Iterator[StoreRow]:
        return (StoreRow(*row) for row in read_rows(session, STORES, stores))

    def _refuse(self, table: Table, row: Row) -> None:
        raise SetupError(
            f"the {table.name} with the {table.columns[0]} {row[0]} differ between "
            f"{self._source.location} and {self._target.location}, which was changed "
            "outside the service: delete the store there, or copy to an empty database"
        )


def _group_stores(stores: Iterable[StoreRow]) -> Iterator[list[StoreRow]]:
    """Groups of stores to copy together."""
    group: list[StoreRow] = []
    rows = 0
    for store in stores:
        if group and (rows + store.rows > MAX_ROWS or len(group) == MAX_STORES):
            yield group
            group, rows = [], 0
        group.append(store)
        rows += store.rows
    if group:
        yield group
