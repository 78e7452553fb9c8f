"""Changes that commands make to a store's plants, written as a batch of requests is.

Invariant: a plant that was changed since it was read is left unchanged.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Literal, TypeVar, cast

import msgspec
from msgspec import Struct

from plantstore.core.errors import PlantStoreError, SetupError
from plantstore.core.model import (
    DONE,
    INT64_MAX,
    INT64_MIN,
    Caller,
    NewPlant,
    Outcome,
    Precondition,
    Role,
    Store,
    entity_tag_of,
)
from plantstore.core.operations import Create, Delete, Update, explain
from plantstore.sql.session import Queries, Session

PORTION = 2000  # plants per transaction, which blocks other writers for some hundredths of a second

Item = TypeVar("Item")
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


def batched(items: Iterable[Item], size: int) -> Iterator[tuple[Item, ...]]:
    """As ``itertools.batched``, which Python 3.11 does not have."""
    remaining = iter(items)
    while portion := tuple(islice(remaining, size)):
        yield portion


def find_plants(session: Queries, store_id: int, ids: Iterable[int]) -> dict[int, NewPlant]:
    numbers = msgspec.json.encode(list(ids)).decode()
    return {row[0]: NewPlant(*row) for row in session.query("find_plants_among", store_id, numbers)}


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
    for portion in map(dict, batched(wanted, PORTION)):
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
    label, store_id = f"plantstore {command}", store.store_id
    author = Caller(0, b"", 0, label, None, store_id, Role.OWNER, frozenset(), 0, (0, 0))
    writes = [_to_write(change, author) for change in changes]
    outcomes = [outcome for outcome, _ in session.write(writes, is_atomic=is_atomic)]
    if Outcome.NO_SUCH_STORE in outcomes:
        raise SetupError(f"the store {store.name!r} was deleted")
    done = zip(outcomes, writes, strict=True)
    return [None if outcome in DONE else explain(outcome, write) for outcome, write in done]


def _to_write(change: Change, author: Caller) -> Create | Update | Delete:
    if change.before is None:
        return Create(author.store_id, author, change.plant)
    unchanged = Precondition((entity_tag_of(change.before),), None)
    if change.after is None:
        return Delete(author.store_id, author, change.before.id, unchanged)
    return Update(author.store_id, author, change.after, unchanged)
