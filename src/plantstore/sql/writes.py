"""Writes, as the adapters queue them for the next transaction."""

from msgspec import Struct

from plantstore.model import Caller, IdempotencyKey, NewPlant

KEY_LIFETIME_MS = 24 * 3600 * 1000


class Create(Struct, frozen=True):
    """A plant to store."""

    store_id: int
    caller: Caller
    plant: NewPlant
    key: IdempotencyKey | None


class Delete(Struct, frozen=True):
    """A plant to remove."""

    store_id: int
    caller: Caller
    plant_id: int


Write = Create | Delete
