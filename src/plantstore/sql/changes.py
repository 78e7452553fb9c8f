"""Changes of a store's plants by commands, written as every write is: with events and counts.

Invariant: each change raises the store's revision by one, so no revision is given out twice.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Literal

import msgspec
from msgspec import Struct
from msgspec.structs import astuple

from plantstore.core.clock import now
from plantstore.core.database import Row
from plantstore.core.errors import SetupError
from plantstore.core.model import INT64_MAX, INT64_MIN, NewPlant, Store
from plantstore.sql.session import Queries, Session

PORTION = 2000  # plants of a transaction: others wait for it, some hundredths of a second

Wanted = tuple[int, NewPlant | None]  # the id of a plant, and how it shall be; None: not there
Author = tuple[int, str, str]  # of events: the user's number or 0, a label, a token's id


class Change(Struct, frozen=True):
    """What happens to a plant: how it is then, or how it was when it was deleted."""

    kind: Literal["created", "updated", "deleted"]
    plant: NewPlant


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
    """What has to happen, so that the plants are as they shall be."""
    remaining = iter(wanted)
    while portion := dict(islice(remaining, PORTION)):
        stored = find_plants(session, store_id, portion)
        for plant_id, plant in portion.items():
            if plant is None and plant_id in stored:
                yield Change("deleted", stored[plant_id])
            elif plant is not None and plant != stored.get(plant_id):
                yield Change("updated" if plant_id in stored else "created", plant)


def make_changes(
    session: Session, store: Store, wanted: Iterable[Wanted], author: Author
) -> Iterator[Change]:
    """Have the plants be as they shall be, some thousand in a transaction; what was changed.

    :raises SetupError: the store was deleted, or is full; what was changed before stays.
    """
    remaining = iter(wanted)
    while portion := list(islice(remaining, PORTION)):
        with session.transaction():
            counts = lock_counts(session, store)
            changes = list(find_changes(session, store.store_id, portion))
            write_changes(session, store, counts, changes, author)
        yield from changes


def lock_counts(session: Session, store: Store) -> Row:
    """The store's revision, how many plants it has and may have; locked until the commit.

    :raises SetupError: the store was deleted.
    """
    rows = session.query("lock_counts", store.store_id)
    if not rows:
        raise SetupError(f"the store {store.name!r} was deleted")
    return rows[0]


def write_changes(
    session: Session, store: Store, counts: Row, changes: Sequence[Change], author: Author
) -> None:
    """Write changes of different plants within a transaction that has locked these counts.

    :raises SetupError: the store would have too many plants.
    """
    revision, held, max_plants = counts
    store_id = store.store_id
    removed = [(store_id, change.plant.id) for change in changes if change.kind != "created"]
    added = [(store_id, *astuple(change.plant)) for change in changes if change.kind != "deleted"]
    holding = held + len(added) - len(removed)
    require_room(store, held, holding, max_plants)
    at = now()
    events = [
        (store_id, number, f"plant.{change.kind}", *astuple(change.plant), at, *author)
        for number, change in enumerate(changes, revision + 1)
    ]
    for query, rows in (
        ("delete_plant", removed),
        ("insert_plant", added),
        ("insert_event", events),
    ):
        if rows:
            session.write_rows(query, rows)
    session.query("set_counts", store_id, revision + len(changes), holding)


def require_room(store: Store, held: int, holding: int, max_plants: int | None) -> None:
    """Refuse that a store grows over its quota.

    :raises SetupError: it would.
    """
    if max_plants is not None and holding > max(held, max_plants):
        raise SetupError(
            f"{store.name} is full: `plantstore store set {store.name} --max-plants {holding}` "
            "gives room"
        )
