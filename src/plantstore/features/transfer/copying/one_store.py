"""The copy of one store into a database that has others, which is how a store moves between cells.

What happened since an earlier copy is in the store's events. The store keeps its number, which its
tokens contain; users are those of the same subject.

Invariant: a copy that was killed is resumed by the next one. A new store's revision is set after
its plants and events, and its members come last: before them nobody has access to it.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest

from msgspec.structs import replace

from plantstore.database import Row
from plantstore.errors import SetupError
from plantstore.sql.administration.records import require_store
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
    find_first_event,
    read_pages,
    read_rows,
)

_USER_COLUMN = {MEMBERS.name: 1, TOKENS.name: 2, EVENTS.name: 7, KEYS.name: 1}
_DELETED = "plant.deleted"
_DELETE_PARTS = ("delete_plants_of_store", "delete_events_of_store")


class StoreCopy:
    """A copy of the store with this name, within a snapshot of the source; see ``Copy``."""

    def __init__(self, source: Session, target: Session, name: str) -> None:
        self._source = source
        self._target = target
        self._id = require_store(source, name).store_id
        self._range = (self._id, self._id)
        self._written: Counter[str] = Counter()
        self._users: dict[int, int] = {}  # ids in the target, by those in the source
        self._reached = 0  # the target's revision
        self._ours = self._read_store(source) or ()

    @property
    def written(self) -> Mapping[str, int]:
        """How many rows of which kind were written."""
        return {words: count for words, count in self._written.items() if count}

    def check(self) -> None:
        """Refuse a target with another such store, or a changed one, before anything is written.

        :raises SetupError: it has one.
        """
        theirs = self._read_store(self._target)
        if theirs is None:
            taken = bool(self._target.query("find_store", self._ours[1]))
        else:
            taken = tuple(theirs[:3]) != tuple(self._ours[:3])
            self._reached = theirs[-1]
        if taken:
            raise SetupError(
                f"{self._target.location} has another store with the name {self._ours[1]!r} or "
                f"the number {self._id}; nothing was written"
            )
        if self._reached and not self._is_earlier():
            raise SetupError(
                f"{self._ours[1]!r} in {self._target.location} is no earlier copy, or the events "
                "since then are trimmed: delete it there first; nothing was written"
            )

    def count_rows(self) -> int:
        """See ``Copy``."""
        ((count,),) = self._source.query("count_rows", *self._range)
        return int(count)

    def write(self) -> Iterator[int]:
        """Write what the target lacks."""
        if self._reached:
            yield from self._follow()
        else:
            yield from self._write_new()
        with self._target.transaction():
            self._finish()

    def verify(self) -> Iterator[int]:
        """Compare the store in both databases.

        :raises SetupError: they differ.
        """
        with self._target.snapshot():
            for table in (PLANTS, EVENTS, MEMBERS, TOKENS):
                rows = read_rows(self._source, table, self._range)
                ours: Iterable[Row] = (self._translate(table, row) for row in rows)
                if table is MEMBERS:  # in the order of the users' numbers
                    ours = sorted(map(tuple, ours))
                for our, their in zip_longest(ours, read_rows(self._target, table, self._range)):
                    if our is None or their is None or tuple(our) != tuple(their):
                        raise SetupError(
                            f"the {table.name} of {self._ours[1]!r} differ: the target was changed "
                            "meanwhile, delete the store there and copy it again"
                        )
                    yield 1

    def _read_store(self, session: Session) -> Row | None:
        rows = session.query(STORES.read, self._id, self._id, 1)
        return rows[0] if rows else None

    def _is_earlier(self) -> bool:
        """Whether all events since the target's revision are there, and it has none of its own."""
        if not self._ours[-2] <= self._reached <= self._ours[-1]:
            return False
        start = (self._id, self._reached, self._id, 1)
        ours, theirs = (
            [tuple(row[:7]) for row in session.query(EVENTS.read, *start)]
            for session in (self._source, self._target)
        )
        return not theirs or ours == theirs

    def _write_new(self) -> Iterator[int]:
        """All plants and events; what a copy before has left is removed."""
        with self._target.transaction():
            if self._read_store(self._target) is None:
                self._insert(STORES, [self._ours[:3]])
                self._target.write_rows("copy_revisions", [self._ours[:1]])
                self._target.advance_sequences()
        are_left = True
        while are_left:
            with self._target.transaction():
                parts = [self._target.query(name, self._id) for name in _DELETE_PARTS]
            are_left = any(parts)
        for table in (PLANTS, EVENTS):
            for page in read_pages(self._source, table, self._range):
                with self._target.transaction():
                    self._insert(table, page)
                yield len(page)

    def _follow(self) -> Iterator[int]:
        """Apply the events since the target's revision, some thousand at a time."""
        later = replace(EVENTS, first=(self._reached + 1,))
        for page in read_pages(self._source, later, self._range):
            last = {event[3]: event for event in page}.values()
            with self._target.transaction():
                self._hold()
                self._target.write_rows("delete_plant", [(self._id, event[3]) for event in last])
                plants = [event for event in last if event[2] != _DELETED]
                self._insert(PLANTS, [(self._id, *event[3:6]) for event in plants])
                self._insert(EVENTS, page)
                self._target.write_rows("set_revision", [page[-1][:2]])
            self._reached = page[-1][1]
            yield len(page)

    def _finish(self) -> None:
        """The store's row and keys, its tokens, and who may open it."""
        self._hold()
        *_, max_plants, trimmed, revision = self._ours
        first = find_first_event(self._source, self._id)
        self._target.write_rows("set_revision", [(self._id, revision)])
        self._target.write_rows("delete_events_before", [(self._id, first)] if trimmed else [])
        self._target.write_rows("set_store", [(self._id, max_plants, trimmed)])
        while self._target.query("delete_keys_of_store", self._id):
            pass
        self._insert(KEYS, list(read_rows(self._source, KEYS, self._range)))
        self._write_tokens()
        self._target.query("delete_members_of_store", self._id)
        self._insert(MEMBERS, list(read_rows(self._source, MEMBERS, self._range)))

    def _write_tokens(self) -> None:
        theirs = {row[1]: tuple(row) for row in read_rows(self._target, TOKENS, self._range)}
        ours = list(read_rows(self._source, TOKENS, self._range))
        self._insert(TOKENS, [row for row in ours if row[1] not in theirs])
        ended = [row for row in ours if row[1] in theirs and theirs[row[1]][-2:] != tuple(row[-2:])]
        self._target.write_rows("set_expiry", [(*row[:2], row[-2]) for row in ended])
        self._target.write_rows("revoke_token", [(*row[:2], row[-1]) for row in ended])
        self._written["ended tokens"] += len(ended)

    def _hold(self) -> None:
        """Keep others from changing the store until the transaction ends.

        :raises SetupError: somebody has changed it.
        """
        rows = self._target.query("lock_revisions", *self._range)
        if [row[1] for row in rows] != [self._reached]:
            raise SetupError(f"{self._ours[1]!r} was changed in {self._target.location}")

    def _insert(self, table: Table, rows: Sequence[Row]) -> None:
        if rows:
            self._target.write_rows(table.write, [self._translate(table, row) for row in rows])
        self._written[table.name] += len(rows)

    def _translate(self, table: Table, row: Row) -> Row:
        """The row with the target's number of its user."""
        column = _USER_COLUMN.get(table.name)
        if column is None:
            return row
        return (*row[:column], self._find_user(row[column]), *row[column + 1 :])

    def _find_user(self, user_id: int) -> int:
        """The target's number of a user, who is created where missing; none is the same on both."""
        if user_id not in self._users:
            found = self._source.query(USERS.read, user_id, user_id, 1)
            self._users[user_id] = self._require_user(found[0][1]) if found else user_id
        return self._users[user_id]

    def _require_user(self, subject: str) -> int:
        rows = self._target.query("find_user", subject)
        if not rows:
            self._target.query("insert_user", subject)
            self._written[USERS.name] += 1
            rows = self._target.query("find_user", subject)
        return int(rows[0][0])
