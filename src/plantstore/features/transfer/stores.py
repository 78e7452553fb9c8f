"""How commands read and change a store's plants: in a database here, over HTTP in ``remote.py``.

Invariant: each change follows the rules of all writes, with its event and counts.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Union

from plantstore.cli.administration_log import note_change
from plantstore.cli.stores import pass_store
from plantstore.core.model import NewPlant
from plantstore.http.errors import ErrorBody, describe_error
from plantstore.sql.administration.records import require_store
from plantstore.sql.changes import PORTION, Change, batched, find_plants, read_plants, write_changes
from plantstore.sql.session import Session

if TYPE_CHECKING:
    from plantstore_client import PlantStore

    from plantstore.features.transfer.remote import RemoteStore

Refusals = list[ErrorBody | None]  # None for changes that were made
Store = Union["DatabaseStore", "RemoteStore"]


class DatabaseStore:
    """A store of a database. If the command only reads, it sees the state at its start.

    :raises PlantStoreError: there is no such store.
    """

    def __init__(self, session: Session, name: str) -> None:
        self.name = name
        self._session = session
        self._store = require_store(session, name)
        self.identity = f"{self._store.store_id} {self._store.created_at}"

    def list_plants(self, tag: str | None) -> Iterator[NewPlant]:
        """All plants, or those with a tag, at one moment, sorted by id."""
        for page in read_plants(self._session, self._store.store_id):
            yield from (plant for plant in page if tag in (None, plant.tag))

    def find(self, plant_id: int) -> NewPlant | None:
        return find_plants(self._session, self._store.store_id, [plant_id]).get(plant_id)

    def find_each(self, ids: Iterable[int]) -> Iterator[NewPlant | None]:
        """The plants with these ascending ids, at one moment; None for missing plants."""
        with self._session.snapshot():
            for portion in batched(ids, PORTION):
                plants = find_plants(self._session, self._store.store_id, portion)
                yield from map(plants.get, portion)

    def find_highest_id(self) -> int | None:
        highest: int | None = self._session.query("find_highest_id", self._store.store_id)[0][0]
        return highest

    def find_room(self) -> int | None:
        """How many more plants the store may hold, if known."""
        store = require_store(self._session, self.name)
        return None if store.max_plants is None else store.max_plants - store.plants

    def find_deleted(self, plant_id: int) -> NewPlant | None:
        """The plant as it was before its last deletion, if the event is kept."""
        rows = self._session.query("find_last_deletion", self._store.store_id, plant_id)
        return NewPlant(*rows[0]) if rows else None

    def write(self, command: str, changes: Sequence[Change], *, is_atomic: bool = True) -> Refusals:
        """Change different plants, if atomic all or none; returns the errors of refused changes."""
        refusals = write_changes(self._session, self._store, changes, command, is_atomic=is_atomic)
        return [None if error is None else describe_error(error) for error in refusals]

    def log(self, command: str, **changed: object) -> None:
        """Record what a command has changed, also in the audit trail."""
        note_change(self._session, command, store=self.name, **changed)


def _open_remote(client: "PlantStore", name: str) -> "RemoteStore":
    from plantstore.features.transfer.remote import RemoteStore  # noqa: PLC0415 - needs an extra

    return RemoteStore(client, name)


with_store = pass_store(DatabaseStore, _open_remote)
reading_store = pass_store(DatabaseStore, _open_remote, reads=True)
