"""Brings back a deleted plant, as its last event has it."""

from msgspec.structs import astuple

from plantstore.core.clock import now
from plantstore.core.errors import SetupError
from plantstore.core.model import NewPlant, Store
from plantstore.sql.session import Session

_COMMAND_LINE = (0, "plantstore plant restore", "")  # no user, its label, no token


def restore_plant(session: Session, store: Store, plant_id: int) -> NewPlant:
    """Bring back a plant as it was when it was last deleted; within a transaction.

    :raises SetupError: it is there, or was not deleted as far as the events tell.
    """
    if session.query("find_plant", store.store_id, plant_id):
        raise SetupError(f"{store.name} has a plant with the id {plant_id}: delete it first")
    rows = session.query("find_last_deletion", store.store_id, plant_id)
    if not rows:
        raise SetupError(f"{store.name} has no event of the deletion of plant {plant_id}")
    if store.max_plants is not None and store.plants >= store.max_plants:
        raise SetupError(
            f"{store.name} is full: `plantstore store set {store.name} --max-plants N` gives room"
        )
    plant = NewPlant(*rows[0])
    ((revision,),) = session.query("raise_revision", store.store_id, 1)
    session.query("insert_plant", store.store_id, *astuple(plant))
    event = (store.store_id, revision, "plant.created", *astuple(plant), now())
    session.query("insert_event", *event, *_COMMAND_LINE)
    return plant
