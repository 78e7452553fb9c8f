"""Changes that commands make to a store's plants, written like all writes: with events and counts.

Invariant: each change raises the store's revision by one, so no revision is used twice. A plant
that was changed since it was read is left unchanged.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Literal, cast

import msgspec
from msgspec import Struct
from msgspec.structs import astuple

from plantstore.core.clock import now
from plantstore.core.errors import (
    AlreadyStoredError,
    IdTakenError,
    NoSuchPlantError,
    PlantStoreError,
    PreconditionFailedError,
    SetupError,
    StoreFullError,
)
from plantstore.core.model import INT64_MAX, INT64_MIN, NewPlant, Store
from plantstore.sql.session import Queries, Session

PORTION = 2000  # plants per transaction, which blocks other writers for some hundredths of a second

Wanted = tuple[int, NewPlant | None]  # a plant's id, and its wanted state (None: deleted)


class Change(Struct, frozen=True, array_like=True):
    """A plant's current and wanted state; None means that there is no plant."""

    before: NewPlant | None
    after: NewPlant | None

    @property
    def kind(self) -> Literal["created", "updated", "deleted"]:
        """The kind of the change's event."""
        if self.before is None:
            return "created"
        return "deleted" if self.after is None else "updated"

    @property
    def plant(self) -> NewPlant:
        """The plant after the change, or before its deletion."""
        return cast("NewPlant", self.after or self.before)


def find_plants(session: Queries, store_id: int, ids: Iterable[int]) -> dict[int, NewPlant]:
    numbers = msgspec.json.encode(list(ids)).decode()
    rows = session.query("find_plants_among", store_id, numbers)
    return {row[0]: NewPlant(*row) for row in rows}


def read_plants(session: Queries, store_id: int) -> Iterator[list[NewPlant]]:
    """The store's plants by id, in pages."""
    first = INT64_MIN
    while rows := session.query("page_of_plants", store_id, first, store_id, PORTION):
        yield [NewPlant(*row) for _, *row in rows]
        if rows[-1][1] == INT64_MAX:
            return
        first = rows[-1][1] + 1


def find_changes(session: Queries, store_id: int, wanted: Iterable[Wanted]) -> Iterator[Change]:
    """The changes that lead to the wanted plants."""
    remaining = iter(wanted)
    while portion := dict(islice(remaining, PORTION)):
        stored = find_plants(session, store_id, portion)
        for plant_id, plant in portion.items():
            if plant != stored.get(plant_id):
                yield Change(stored.get(plant_id), plant)


def write_changes(
    session: Session, store: Store, changes: Sequence[Change], command: str, *, is_atomic: bool
) -> list[PlantStoreError | None]:
    """Make changes to different plants in one transaction; if atomic, all or none.

    Returns the error of each refused change, None for the others.

    :raises SetupError: the store was deleted.
    """
    with session.transaction():
        rows = session.query("lock_counts", store.store_id)
        if not rows:
            raise SetupError(f"the store {store.name!r} was deleted")
        ((revision, held, max_plants),) = rows
        stored = find_plants(session, store.store_id, [change.plant.id for change in changes])
        refusals: list[PlantStoreError | None] = []
        done = []
        for change in changes:
            is_full = max_plants is not None and held >= max_plants
            refusals.append(find_refusal(change, stored.get(change.plant.id), is_full=is_full))
            if refusals[-1] is None and change.before != change.after:
                done.append(change)
                held += (change.before is None) - (change.after is None)
        if done and not (is_atomic and any(refusals)):
            _write(session, store.store_id, done, revision, command)
            session.query("set_counts", store.store_id, revision + len(done), held)
    return refusals


def find_refusal(
    change: Change, stored: NewPlant | None, *, is_full: bool
) -> PlantStoreError | None:
    """Why a change is refused if the store has this plant under the id."""
    error: type[PlantStoreError]
    if stored == change.before:
        if change.before is not None or not is_full:
            return None
        error = StoreFullError
    elif change.before is None:
        error = AlreadyStoredError if stored == change.after else IdTakenError
    else:
        error = NoSuchPlantError if stored is None else PreconditionFailedError
    return error(plant_id=change.plant.id)


def _write(
    session: Session, store_id: int, changes: Sequence[Change], revision: int, command: str
) -> None:
    at, author = now(), (0, f"plantstore {command}", "")
    events = [
        (store_id, number, f"plant.{change.kind}", *astuple(change.plant), at, *author)
        for number, change in enumerate(changes, revision + 1)
    ]
    for query, rows in (
        ("delete_plant", [(store_id, it.before.id) for it in changes if it.before]),
        ("insert_plant", [(store_id, *astuple(it.after)) for it in changes if it.after]),
        ("insert_event", events),
    ):
        if rows:
            session.write_rows(query, rows)
