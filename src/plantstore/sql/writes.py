"""Writes, as the adapters queue them for the next transaction."""

from typing import ClassVar

from msgspec import Struct

from plantstore.model import Caller, IdempotencyKey, NewPlant, Precondition, Scope

KEY_LIFETIME_MS = 24 * 3600 * 1000
MAX_TRIMMED = 500  # events of one store at a time, so that other writes do not wait for it


class Create(Struct, frozen=True):
    """A plant to store."""

    store_id: int
    caller: Caller
    plant: NewPlant
    key: IdempotencyKey | None

    scope: ClassVar = Scope.CREATE


class Update(Struct, frozen=True):
    """A plant's new name and tag."""

    store_id: int
    caller: Caller
    plant: NewPlant
    precondition: Precondition | None

    scope: ClassVar = Scope.UPDATE


class Delete(Struct, frozen=True):
    """A plant to remove."""

    store_id: int
    caller: Caller
    plant_id: int
    precondition: Precondition | None = None

    scope: ClassVar = Scope.DELETE


Write = Create | Update | Delete
