"""The three operations and who may use them, from a token to an outcome.

They know neither HTTP nor SQL; they raise the domain's errors.
"""

from plantstore.clock import now
from plantstore.database import Database
from plantstore.errors import (
    AlreadyStoredError,
    ForbiddenError,
    IdTakenError,
    InvalidTokenError,
    KeyReusedError,
    NoSuchPlantError,
    NoSuchStoreError,
    PlantStoreError,
    StoreFullError,
)
from plantstore.model import (
    Caller,
    IdempotencyKey,
    NewPlant,
    Outcome,
    Scope,
    TokenInfo,
    is_store_name,
)
from plantstore.tokens import parse_token


async def authenticate(
    database: Database, token: str, store_name: str | None, scope: Scope
) -> Caller:
    """The caller, who may do this with the token, in its own store or in the named one.

    :raises InvalidTokenError: the token is unknown, malformed, expired or revoked.
    :raises NoSuchStoreError: there is no such store, or the caller is not a member.
    :raises ForbiddenError: the token or the caller's role does not allow it.
    """
    store_id, token_hash = parse_token(token)
    if store_id is None:
        raise InvalidTokenError
    if store_name is not None and not is_store_name(store_name):
        store_name = ""  # no store has this name; arbitrary ones would fill caches of callers
    caller = await database.find_caller(store_id, token_hash, store_name)
    if caller is None or (caller.expires_at is not None and caller.expires_at <= now()):
        raise InvalidTokenError
    if caller.role is None:
        raise NoSuchStoreError
    if scope not in caller.permissions:
        raise ForbiddenError(scope=scope.value, caller=caller)
    return caller


async def introspect(database: Database, token: str) -> TokenInfo:
    """Who holds this token, and all the stores that it opens.

    :raises InvalidTokenError: the token is unknown, malformed, expired or revoked.
    :raises NoSuchStoreError: it opens no store.
    """
    store_id, token_hash = parse_token(token)
    if store_id is None:
        raise InvalidTokenError
    bearer = await database.find_token_info(store_id, token_hash)
    if bearer is None or (bearer.expires_at is not None and bearer.expires_at <= now()):
        raise InvalidTokenError
    if not bearer.stores:
        raise NoSuchStoreError
    return bearer


async def create_plant(
    database: Database, caller: Caller, plant: NewPlant, key: IdempotencyKey | None
) -> None:
    """Store a plant in the caller's store; return when it is durable.

    :raises PlantStoreError: the id is taken, or the key was used for another request.
    """
    outcome = await database.create_plant(caller.store_id, caller, plant, key)
    if outcome is not Outcome.CREATED:
        raise _explain(outcome, plant.id, Scope.CREATE)


async def delete_plant(database: Database, caller: Caller, plant_id: int) -> None:
    """Remove a plant from the caller's store; return when that is durable.

    :raises NoSuchPlantError: the store has no plant with this id.
    """
    outcome = await database.delete_plant(caller.store_id, caller, plant_id)
    if outcome is not Outcome.DELETED:
        raise _explain(outcome, plant_id, Scope.DELETE)


_ERRORS: dict[Outcome, type[PlantStoreError]] = {
    Outcome.ID_TAKEN: IdTakenError,
    Outcome.ALREADY_STORED: AlreadyStoredError,
    Outcome.KEY_REUSED: KeyReusedError,
    Outcome.NO_SUCH_PLANT: NoSuchPlantError,
    Outcome.NO_SUCH_STORE: NoSuchStoreError,
    Outcome.STORE_FULL: StoreFullError,
    Outcome.TOKEN_INVALID: InvalidTokenError,
}


def _explain(outcome: Outcome, plant_id: int, scope: Scope) -> PlantStoreError:
    if outcome is Outcome.FORBIDDEN:
        return ForbiddenError(scope=scope.value)
    return _ERRORS[outcome](plant_id=plant_id)
