"""The operations that change plants, as values: who may call them, and why a write is refused.

They know neither HTTP nor SQL. ``Database.write`` executes them.
"""

from collections.abc import Iterable, Sequence
from typing import ClassVar

from msgspec import Struct

from plantstore.core import errors
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
        raise errors.NoSuchStoreError
    if scope is not None and scope not in caller.permissions:
        raise errors.ForbiddenError(scope=scope.value)


class _OfPlant(Struct, frozen=True):
    """A write that brings a plant's contents."""

    store_id: int
    caller: Caller
    plant: NewPlant
    precondition: Precondition | None = None
    key: IdempotencyKey | None = None


class Create(_OfPlant, frozen=True):
    """A plant to store, without a precondition.

    Outcomes: CREATED, ID_TAKEN, ALREADY_STORED, STORE_FULL. Any write whose key was used before:
    KEY_REUSED by another request; by the same one REPLAYED, or its refusal.
    """

    scope: ClassVar = Scope.CREATE


class Update(_OfPlant, frozen=True):
    """A plant's new contents: UPDATED, UNCHANGED, NO_SUCH_PLANT or PRECONDITION_FAILED."""

    scope: ClassVar = Scope.UPDATE


class Upsert(_OfPlant, frozen=True):
    """A plant to create, or to update if its id exists, with the outcomes of both."""

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


class Atomic(Struct):
    """Writes to one store, all or none: the outcome of the last one, or RefusedError.

    The key of the first write is that of all. ``seconds`` is how long it kept the database busy.
    """

    store_id: int
    writes: Sequence[Write]
    seconds: float = 0.0


Written = tuple[Outcome, int]  # how a write ended, and the store's revision after it

_ERRORS: dict[Outcome, type[errors.PlantStoreError]] = {
    Outcome.ID_TAKEN: errors.IdTakenError,
    Outcome.ALREADY_STORED: errors.AlreadyStoredError,
    Outcome.KEY_REUSED: errors.KeyReusedError,
    Outcome.NO_SUCH_PLANT: errors.NoSuchPlantError,
    Outcome.PRECONDITION_FAILED: errors.PreconditionFailedError,
    Outcome.NO_SUCH_STORE: errors.NoSuchStoreError,
    Outcome.STORE_FULL: errors.StoreFullError,
    Outcome.TOKEN_INVALID: errors.InvalidTokenError,
}


def explain(outcome: Outcome, write: Write) -> errors.PlantStoreError:
    """The error for a write that was refused."""
    if outcome is Outcome.FORBIDDEN:
        return errors.ForbiddenError(scope=write.scope.value)
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
