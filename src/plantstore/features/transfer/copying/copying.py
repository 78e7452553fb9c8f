"""The copy of a database, which is its users and its stores, or of one store of it.

Invariant: nothing is written unless what the target has of the stores is an earlier state of them,
so a copy never overwrites what was written elsewhere.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from itertools import chain, compress, zip_longest

from plantstore.core.database import Row
from plantstore.core.errors import SetupError
from plantstore.core.model import token_id_of
from plantstore.databases import create_database, open_session, require_database
from plantstore.features.transfer.copying.stores import StoresCopy, group_stores
from plantstore.features.transfer.copying.users import Translate, UsersBySubject, keep_users
from plantstore.features.transfer.tables import (
    ALL,
    EVENTS,
    MEMBERS,
    PLANTS,
    STORES,
    TOKENS,
    USERS,
    Pair,
    StoreRow,
    Stores,
    Table,
    in_parts,
    pair_rows,
    read_pages,
    read_rows,
)
from plantstore.sql.administration.records import find_store, require_store
from plantstore.sql.session import Session


@contextmanager
def open_copy(source_url: str, target_url: str, store: str | None = None) -> Iterator["Copy"]:
    """A copy of a database, or of one store, to another, within a snapshot of the first.

    A missing SQLite file is created for the copy.

    :raises SetupError: one of them cannot be used, or they are the same; there is no such store.
    """
    require_database(source_url, "name another source")
    with closing(open_session(source_url)) as source, source.snapshot():
        create_database(target_url)
        with closing(open_session(target_url)) as target:
            if source.location == target.location:
                raise SetupError(f"both URLs name {source.location}: give two databases")
            yield Copy(source, target, store)


class Copy:
    """A copy of everything, or of the store of this name.

    Its steps, in order: ``check``, ``write`` and ``verify``. The last two yield, repeatedly, how
    many more rows they have processed. ``written`` is how many rows of which kind were written.
    """

    def __init__(self, source: Session, target: Session, store: str | None = None) -> None:
        self._source = source
        self._target = target
        self._store = store
        self._range: Stores = ALL
        self._translate: Translate = keep_users
        self.written: Counter[str] = Counter()
        if store is not None:
            store_id = require_store(source, store).store_id
            self._range = (store_id, store_id)
            self._translate = UsersBySubject(source, target, self.written).translate

    def check(self) -> None:
        """Refuse a target with rows of its own, before anything is written.

        :raises SetupError: it has some; the message says which.
        """
        with self._target.snapshot():
            found = next(self._find_conflicts(), None)
        if found is not None:
            advice = "delete it there, make the same change to the source"
            if self._store is not None:
                advice = f"bring back its plants with `plantstore restore --store {self._store}`"
            raise SetupError(
                f"{self._target.location} has {found}, {self._source.location} does not: "
                f"{advice}, or copy to an empty database; nothing was written"
            )

    def count_rows(self) -> int:
        """About how many plants and events the stores have."""
        rows = read_rows(self._source, STORES, self._range)
        return sum(StoreRow(*row).rows for row in rows)

    def write(self) -> Iterator[int]:
        """Write what the target lacks."""
        if self._store is None:
            self._write_users()
        pairs = ((ours, theirs) for ours, theirs in self._pair_stores() if ours is not None)
        for group in group_stores(pairs):
            parts = (self._source, self._target, group, self._translate, self.written)
            yield from StoresCopy(*parts).write()
        self._target.analyze()

    def verify(self) -> Iterator[int]:
        """Compare both databases, or the store in both, but for idempotency keys, which expire.

        :raises SetupError: something differs.
        """
        with self._target.snapshot():
            if self._store is None:
                yield from self._compare(USERS, ALL)
            yield from self._compare(STORES, self._range)
            for stores in in_parts(read_rows(self._source, STORES, self._range)):
                bounds = (stores[0][0], stores[-1][0])
                for table in (PLANTS, EVENTS, TOKENS, MEMBERS):
                    yield from self._compare(table, bounds)

    def _find_conflicts(self) -> Iterator[str]:
        """What only the target has, in words."""
        if self._store is None:
            for our_user, their_user in self._pairs(USERS):
                if their_user is not None and their_user != our_user:
                    user_id, subject, _ = their_user
                    yield f"the user {subject!r} with the number {user_id}"
        else:
            yield from self._find_conflicts_of_store(self._store)
        for ours, theirs in self._pair_stores():
            if theirs is not None and not self._is_earlier(ours, theirs):
                where = f"with the number {theirs.store_id}, at revision {theirs.revision}"
                yield f"the store {theirs.name!r} {where}"
        for our_token, their_token in self._pairs(TOKENS):
            if their_token is not None and not _is_earlier_token(our_token, their_token):
                store_id, token_hash = TOKENS.key(their_token)
                own = "the" if our_token is None else "a revocation or an earlier expiry of the"
                where = f"of the store with the number {store_id}"
                yield f"{own} token {token_id_of(token_hash)} {where}"

    def _find_conflicts_of_store(self, name: str) -> Iterator[str]:
        ours, theirs = require_store(self._source, name), find_store(self._target, name)
        if theirs is not None and theirs.store_id != ours.store_id:
            yield f"the store {name!r} with the number {theirs.store_id}"
        for (revision,) in self._target.query("find_deleted_store", ours.store_id):
            if theirs is None and revision >= ours.revision:  # else it was away, and comes back
                yield f"deleted the store {name!r} at revision {revision}"

    def _is_earlier(self, ours: StoreRow | None, theirs: StoreRow) -> bool:
        """Whether the target's store is an earlier state of the source's, whose events lead on.

        Of stores with the same revision, the verification compares all events.
        """
        if ours is None or ours.identity != theirs.identity:
            return False
        if theirs.revision in {0, ours.revision}:
            return True
        last = (theirs.store_id, theirs.revision, theirs.store_id, 1)
        # All but its user, who may have another number in the target.
        is_compared = [column != "user_id" for column in EVENTS.columns]
        our, their = (
            [tuple(compress(row, is_compared)) for row in session.query(EVENTS.read, *last)]
            for session in (self._source, self._target)
        )
        is_same = not their or our == their  # the target may have trimmed it
        return is_same and ours.trimmed <= theirs.revision <= ours.revision

    def _write_users(self) -> None:
        for part in in_parts(self._pairs(USERS)):
            missing = [ours for ours, theirs in part if ours is not None and theirs is None]
            if missing:
                with self._target.transaction():
                    self._target.write_rows(USERS.write, missing)
                    self._target.advance_sequences()
                self.written[USERS.name] += len(missing)

    def _pair_stores(self) -> Iterator[tuple[StoreRow | None, StoreRow | None]]:
        for pair in self._pairs(STORES):
            ours, theirs = (None if row is None else StoreRow(*row) for row in pair)
            yield ours, theirs

    def _pairs(self, table: Table) -> Iterator[Pair]:
        return pair_rows(self._source, self._target, table, self._range)

    def _compare(self, table: Table, stores: Stores) -> Iterator[int]:
        pages = read_pages(self._source, table, stores)
        ours: Iterable[Row] = chain.from_iterable(self._translate(table, page) for page in pages)
        if table is MEMBERS:  # in the order of the target's users
            ours = sorted(ours, key=table.key)
        theirs = read_rows(self._target, table, stores)
        for our, their in zip_longest(in_parts(ours), in_parts(theirs), fillvalue=()):
            if list(our) != list(their):
                number = next(a or b for a, b in zip_longest(our, their) if a != b)[0]
                raise SetupError(
                    f"the {table.name} with the {table.columns[0]} {number} differ between "
                    f"{self._source.location} and {self._target.location}, which was changed "
                    "outside the service: delete the store there, or copy to an empty database"
                )
            yield len(our)


def _is_earlier_token(ours: Row | None, theirs: Row) -> bool:
    """Whether the target's token is an earlier state of the source's: it ends no earlier."""
    ends = {"expires_at", "revoked_at"}
    return ours is not None and all(
        column == "user_id"
        or their == our
        or (column in ends and our is not None and (their is None or their >= our))
        for column, their, our in zip(TOKENS.columns, theirs, ours, strict=True)
    )
