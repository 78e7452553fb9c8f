"""The operations that change plants, as values: who may call them, and why a write is refused.

They know neither HTTP nor SQL. ``Database.write`` executes them.
"""

from collections.abc import Iterable, Sequence
from typing import ClassVar

from msgspec import Struct

from plantstore.core.errors import (
    AlreadyStoredError,
    ForbiddenError,
    IdTakenError,
    InvalidTokenError,
    KeyReusedError,
    NoSuchPlantError,
    NoSuchStoreError,
    PlantStoreError,
    PreconditionFailedError,
    StoreFullError,
)
from plantstore.core.model import (
    DONE,
    Caller,
    IdempotencyKey,
    NewPlant,
    Outcome,
    Precondition,
    Scope,
)


def require_scope(caller: Caller, scope: Scope | None) -> None:
    """Refuse what the caller may not do; a scope of None requires only membership.

    :raises NoSuchStoreError: there is no such store, or the caller is not a member.
    :raises ForbiddenError: the token or the caller's role does not allow it.
    """
    if caller.role is None:
        raise NoSuchStoreError
    if scope is not None and scope not in caller.permissions:
        raise ForbiddenError(scope=scope.value)


class Create(Struct, frozen=True):
    """A plant to store.

    Outcomes: CREATED, ID_TAKEN, ALREADY_STORED, STORE_FULL. Any write whose key was used before:
    KEY_REUSED by another request; by the same one REPLAYED, or its refusal.
    """

    store_id: int
    caller: Caller
    plant: NewPlant
    key: IdempotencyKey | None = None

    precondition: ClassVar = None
    scope: ClassVar = Scope.CREATE


class Update(Struct, frozen=True):
    """A plant's new contents: UPDATED, UNCHANGED, NO_SUCH_PLANT or PRECONDITION_FAILED."""

    store_id: int
    caller: Caller
    plant: NewPlant
    precondition: Precondition | None
    key: IdempotencyKey | None = None

    scope: ClassVar = Scope.UPDATE


class Upsert(Struct, frozen=True):
    """A plant to create, or to update if its id exists, with the outcomes of both."""

    store_id: int
    caller: Caller
    plant: NewPlant
    key: IdempotencyKey | None = None

    precondition: ClassVar = None
    scope: ClassVar = Scope.UPDATE


class Delete(Struct, frozen=True):
    """A plant to remove: DELETED, NO_SUCH_PLANT or PRECONDITION_FAILED."""

    store_id: int
    caller: Caller
    plant_id: int
    precondition: Precondition | None = None
    key: IdempotencyKey | None = None

    scope: ClassVar = Scope.DELETE


Write = Create | Update | Upsert | Delete


class Atomic(Struct, frozen=True):
    """Writes to one store, all or none: the outcome of the last one, or RefusedError.

    The key of the first write is that of all.
    """

    store_id: int
    writes: Sequence[Write]


Written = tuple[Outcome, int]  # how a write ended, and the store's revision after it

_ERRORS: dict[Outcome, type[PlantStoreError]] = {
    Outcome.ID_TAKEN: IdTakenError,
    Outcome.ALREADY_STORED: AlreadyStoredError,
    Outcome.KEY_REUSED: KeyReusedError,
    Outcome.NO_SUCH_PLANT: NoSuchPlantError,
    Outcome.PRECONDITION_FAILED: PreconditionFailedError,
    Outcome.NO_SUCH_STORE: NoSuchStoreError,
    Outcome.STORE_FULL: StoreFullError,
    Outcome.TOKEN_INVALID: InvalidTokenError,
}


def explain(outcome: Outcome, write: Write) -> PlantStoreError:
    """The error for a write that was refused."""
    if outcome is Outcome.FORBIDDEN:
        return ForbiddenError(scope=write.scope.value)
    plant_id = write.plant_id if isinstance(write, Delete) else write.plant.id
    return _ERRORS[outcome](plant_id=plant_id)


class RefusedError(Exception):
    """A write of an ``Atomic`` was refused, so none was done: the first one's index and outcome."""

    def __init__(self, index: int, outcome: Outcome, revision: int) -> None:
        super().__init__()
        self.index, self.outcome, self.revision = index, outcome, revision


def refuse_unless_done(written: Iterable[Written]) -> None:
    """Refuse all writes of an ``Atomic`` if any is refused.

    :raises RefusedError: a write was refused.
    """
    for index, (outcome, revision) in enumerate(written):
        if outcome not in DONE:
            raise RefusedError(index, outcome, revision)
