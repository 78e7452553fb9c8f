"""A store while plants are imported into it: its counts, its plants, and the import's journal.

Invariant: plants are written and deleted together with their events, the store's counts and the
journal; ``lock`` comes first in the transaction.
"""

from collections.abc import Iterable, Mapping, Sequence

import msgspec
from msgspec import Struct

from plantstore.clock import now
from plantstore.errors import SetupError
from plantstore.model import INT64_MAX
from plantstore.sql.copying.tables import EVENTS, PLANTS
from plantstore.sql.importing.portion import Plant
from plantstore.sql.session import Session

LABEL = "plantstore import"  # of its events, which have no token
PORTION_ROWS = 2000  # of a transaction: others wait for it, some hundredths of a second

_encode = msgspec.json.Encoder().encode


class Journal(Struct, frozen=True):
    """How far an import has come; see the table ``imports``."""

    digest: str
    reached: int | None
    written: int
    revision: int


def find_store(session: Session, name: str) -> tuple[int, int, int, int | None]:
    """The number of the store with this name, its revision, its count and its quota.

    :raises SetupError: there is no such store.
    """
    rows = session.query("find_store", name)
    if not rows:
        raise SetupError(f"there is no store {name!r}: `plantstore store list` shows all")
    store_id, _, revision, _, plants, max_plants = rows[0]
    return store_id, revision, plants, max_plants


class ImportStore:
    """The store of this name, for imports in the name of a user, or of nobody.

    :raises SetupError: there is no such store, or no such user.
    """

    def __init__(self, session: Session, name: str, subject: str | None) -> None:
        self.session = session
        self.name = name
        self.read()
        self._user_id = 0 if subject is None else self._find_user(subject)

    def read(self) -> None:
        """Read the counts."""
        self.store_id, self.revision, self.plants, self.max_plants = find_store(
            self.session, self.name
        )

    def lock(self) -> None:
        """Read the counts, which stay as they are until the transaction ends."""
        rows = self.session.query("lock_counts", self.store_id)
        if not rows:
            raise SetupError(f"the store {self.name!r} was deleted")
        self.revision, self.plants, self.max_plants = rows[0]

    @property
    def room(self) -> int | None:
        """How many more plants it may hold, as of the last lock; None for any number."""
        return None if self.max_plants is None else self.max_plants - self.plants

    def find_plants(self, ids: Iterable[int]) -> Mapping[int, tuple[str, str | None]]:
        """Names and tags of the plants with these ids, as far as it has them."""
        text = _encode(list(ids)).decode()
        rows = self.session.query("find_plants_among", self.store_id, text)
        return {plant_id: (name, tag) for plant_id, name, tag in rows}

    def next_ids(self, count: int) -> range:
        """So many ids above the highest, and above 0.

        :raises SetupError: there are not so many.
        """
        ((highest,),) = self.session.query("find_highest_id", self.store_id)
        first = max(highest or 0, 0) + 1
        if first + count - 1 > INT64_MAX:
            raise SetupError(f"{self.name} has the plant {highest}: no higher ids are left")
        return range(first, first + count)

    def create(self, plants: Sequence[Plant]) -> None:
        """Write new plants."""
        self.session.write_rows(PLANTS.write, [(self.store_id, *plant) for plant in plants])
        self._record("plant.created", plants, len(plants))

    def delete(self, plants: Sequence[Plant]) -> None:
        """Delete plants, as they are stored."""
        keys = [(self.store_id, plant_id) for plant_id, *_ in plants]
        self.session.write_rows("delete_plant", keys)
        self._record("plant.deleted", plants, -len(plants))

    def find_journal(self) -> Journal | None:
        """The import that is in progress, or was interrupted."""
        rows = self.session.query("find_import", self.store_id)
        return Journal(*rows[0]) if rows else None

    def write_journal(self, journal: Journal | None) -> None:
        """Say how far the import has come; None where it has ended."""
        if journal is None:
            self.session.query("delete_import", self.store_id)
        else:
            values = msgspec.structs.astuple(journal)
            self.session.query("set_import", self.store_id, *values)

    def _record(self, kind: str, plants: Sequence[Plant], change: int) -> None:
        at, who = now(), (self._user_id, LABEL, "")
        revisions = range(self.revision + 1, self.revision + 1 + len(plants))
        events = [
            (self.store_id, revision, kind, *plant, at, *who)
            for revision, plant in zip(revisions, plants, strict=True)
        ]
        self.session.write_rows(EVENTS.write, events)
        counts = (self.revision + len(plants), self.plants + change)
        self.session.query("set_counts", self.store_id, *counts)

    def _find_user(self, subject: str) -> int:
        rows = self.session.query("find_user", subject)
        if not rows:
            raise SetupError(f"there is no user {subject!r}: `plantstore user list` shows all")
        return int(rows[0][0])
