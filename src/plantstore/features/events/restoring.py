"""Brings back deleted plants, as their last events have them."""

from collections.abc import Sequence

from plantstore.core.errors import SetupError
from plantstore.core.model import NewPlant, Store
from plantstore.sql.changes import Change, find_plants, lock_counts, write_changes
from plantstore.sql.session import Session

_COMMAND_LINE = (0, "plantstore plant restore", "")  # no user, its label, no token


def restore_plants(session: Session, store: Store, ids: Sequence[int]) -> Sequence[NewPlant]:
    """Bring back plants as they were when they were last deleted; within a transaction.

    :raises SetupError: one is there, or was not deleted as far as the events tell.
    """
    counts = lock_counts(session, store)
    plants = []
    for plant_id in dict.fromkeys(ids):
        rows = session.query("find_last_deletion", store.store_id, plant_id)
        if not rows:
            raise SetupError(f"{store.name} has no event of the deletion of plant {plant_id}")
        plants.append(NewPlant(*rows[0]))
    for plant_id in find_plants(session, store.store_id, ids):
        raise SetupError(f"{store.name} has a plant with the id {plant_id}: delete it first")
    changes = [Change("created", plant) for plant in plants]
    write_changes(session, store, counts, changes, _COMMAND_LINE)
    return plants
