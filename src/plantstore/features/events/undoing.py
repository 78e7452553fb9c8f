"""Finds how to undo a user's changes to a store since a given time.

Invariant: later changes by other users are kept.
"""

from collections.abc import Iterator, Sequence

from plantstore.core.database import Row
from plantstore.core.model import PLANT_FIELDS, NewPlant, Store, User
from plantstore.sql.changes import Wanted, find_plants
from plantstore.sql.session import Queries, Session

PAGE_ROWS = 1000

Filters = tuple[int | None, str | None, int | None]  # plant, user, and start time; None: all


def find_undo(
    session: Session, store: Store, user: User, since: int
) -> tuple[Sequence[Wanted], Sequence[int]]:
    """How plants were before the user's changes, and the ids of plants to leave unchanged.

    If other users changed a plant in between, only the user's changes after theirs are undone.
    Plants are left unchanged if others changed them later, or no event has their earlier state.
    """
    before: dict[int, NewPlant | None] = {}
    updated: dict[int, int] = {}  # the first undone revision of updated plants
    later: dict[int, NewPlant | None] = {}  # plants as others changed them after the user
    for revision, kind, *row, user_id in read_events(session, store, 0, (None, None, since)):
        plant = NewPlant(*row[: len(PLANT_FIELDS)])
        if user_id != user.user_id:
            if plant.id in before:
                later[plant.id] = None if kind == "plant.deleted" else plant
        elif plant.id in later:
            before[plant.id] = later.pop(plant.id)
            updated.pop(plant.id, None)
        elif plant.id not in before:
            before[plant.id] = plant if kind == "plant.deleted" else None
            if kind == "plant.updated":
                updated[plant.id] = revision
    unknown = updated.keys() - _find_earlier(session, store, updated, before)
    stored = find_plants(session, store.store_id, later)
    left = {plant_id for plant_id in later if stored.get(plant_id) != before[plant_id]} | unknown
    return [entry for entry in before.items() if entry[0] not in left], sorted(left)


def _find_earlier(
    session: Session, store: Store, updated: dict[int, int], before: dict[int, NewPlant | None]
) -> set[int]:
    """Add earlier states of updated plants to ``before``; returns the ids that have one."""
    earlier = set()
    for revision, kind, *row, _ in read_events(session, store) if updated else ():
        plant = NewPlant(*row[: len(PLANT_FIELDS)])
        if revision < updated.get(plant.id, 0):
            before[plant.id] = None if kind == "plant.deleted" else plant
            earlier.add(plant.id)
    return earlier


def read_events(
    session: Queries,
    store: Store,
    after: int = 0,
    filters: Filters = (None, None, None),
    page_rows: int = PAGE_ROWS,
) -> Iterator[Row]:
    """The rows of a store's events after a revision, filtered, read in pages."""
    while rows := session.query("list_events", store.store_id, after, *filters, page_rows):
        yield from rows
        after = rows[-1][0]
