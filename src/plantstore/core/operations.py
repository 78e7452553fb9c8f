"""The operations on plants and who may use them, from a token to an outcome.

They know neither HTTP nor SQL; they raise the domain's errors.
"""

from plantstore.core.clock import now
from plantstore.core.database import Create, Database, Delete, Update
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
    Caller,
    IdempotencyKey,
    NewPlant,
    Outcome,
    Precondition,
    Scope,
    TokenInfo,
    entity_tag_of,
    is_store_name,
)
from plantstore.core.tokens import TokenKey

# To look up a member in its enumeration takes 0.2 µs on Python 3.11.
_CREATED, _REPLAYED, _DELETED = Outcome.CREATED, Outcome.REPLAYED, Outcome.DELETED


async def authenticate(database: Database, token: TokenKey, store_name: str | None) -> Caller:
    """The caller with this token, in its own store or in the named one, as of now.

    :raises InvalidTokenError: the token is unknown, malformed, expired or revoked.
    """
    store_id, token_hash = token
    if store_id is None:
        raise InvalidTokenError
    if store_name is not None and not is_store_name(store_name):
        store_name = ""  # which no store has
    caller = await database.find_caller(store_id, token_hash, store_name)
    if caller is None or is_expired(caller):
        raise InvalidTokenError
    return caller


def is_expired(bearer: Caller | TokenInfo) -> bool:
    """Whether the token has expired by now."""
    return bearer.expires_at is not None and bearer.expires_at <= now()


def require_scope(caller: Caller, scope: Scope | None) -> None:
    """Refuse what the caller may not do; None is what every member may.

    :raises NoSuchStoreError: there is no such store, or the caller is not a member.
    :raises ForbiddenError: the token or the caller's role does not allow it.
    """
    if caller.role is None:
        raise NoSuchStoreError
    if scope is not None and scope not in caller.permissions:
        raise ForbiddenError(scope=scope.value, caller=caller)


async def introspect(database: Database, token: TokenKey) -> TokenInfo:
    """Who holds this token, and all the stores that it opens.

    :raises InvalidTokenError: the token is unknown, malformed, expired or revoked.
    :raises NoSuchStoreError: it opens no store.
    """
    store_id, token_hash = token
    if store_id is None:
        raise InvalidTokenError
    bearer = await database.find_token_info(store_id, token_hash)
    if bearer is None or is_expired(bearer):
        raise InvalidTokenError
    if not bearer.stores:
        raise NoSuchStoreError
    return bearer


async def create_plant(
    database: Database, caller: Caller, plant: NewPlant, key: IdempotencyKey | None
) -> tuple[bool, int]:
    """Store a plant in the caller's store, durably; whether an earlier create with the key did.

    Also the store's revision after it, as for the other writes.

    :raises PlantStoreError: the id is taken, or the key was used for another request.
    """
    outcome, revision = await database.write(Create(caller.store_id, caller, plant, key))
    if outcome is not _CREATED and outcome is not _REPLAYED:
        raise explain(outcome, plant.id, Scope.CREATE)
    return outcome is _REPLAYED, revision


async def read_plant(
    database: Database, caller: Caller, plant_id: int, precondition: Precondition | None
) -> NewPlant:
    """A plant of the caller's store.

    :raises NoSuchPlantError: the store has no plant with this id.
    :raises PreconditionFailedError: it is not what the request asks for.
    """
    plant = await database.find_plant(caller.store_id, plant_id)
    if plant is None:
        raise NoSuchPlantError(plant_id=plant_id)
    if precondition is not None and not precondition.matches(entity_tag_of(plant)):
        raise PreconditionFailedError(plant_id=plant_id)
    return plant


async def update_plant(
    database: Database, caller: Caller, plant: NewPlant, precondition: Precondition | None
) -> int:
    """Replace a plant of the caller's store by its new contents; return when that is durable.

    :raises NoSuchPlantError: the store has no plant with this id.
    :raises PreconditionFailedError: it is not what the request asks for.
    """
    outcome, revision = await database.write(Update(caller.store_id, caller, plant, precondition))
    if outcome not in (Outcome.UPDATED, Outcome.UNCHANGED):
        raise explain(outcome, plant.id, Scope.UPDATE)
    return revision


async def delete_plant(
    database: Database, caller: Caller, plant_id: int, precondition: Precondition | None
) -> int:
    """Remove a plant from the caller's store; return when that is durable.

    :raises NoSuchPlantError: the store has no plant with this id.
    :raises PreconditionFailedError: it is not what the request asks for.
    """
    outcome, revision = await database.write(
        Delete(caller.store_id, caller, plant_id, precondition)
    )
    if outcome is not _DELETED:
        raise explain(outcome, plant_id, Scope.DELETE)
    return revision


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


def explain(outcome: Outcome, plant_id: int, scope: Scope) -> PlantStoreError:
    """The error of a write with this outcome, for which the token needs the scope."""
    if outcome is Outcome.FORBIDDEN:
        return ForbiddenError(scope=scope.value)
    return _ERRORS[outcome](plant_id=plant_id)
