"""The changes of access that owners may make over HTTP.

Invariants: a change is made only while the caller's token is valid and may manage the store; no
token gets more permissions than its creator's token, nor a longer life; the store keeps an owner;
no rows of other stores are read or changed.
"""

from contextlib import suppress

from msgspec.structs import replace

from plantstore.core.clock import now
from plantstore.core.errors import (
    InvalidTokenError,
    NoSuchStoreError,
    NoSuchTokenError,
    TooMuchAccessError,
)
from plantstore.core.model import Caller, Grant, Role, Scope, User, find_hashes_of, permissions_of
from plantstore.core.operations import require_scope
from plantstore.features.access import members
from plantstore.sql.administration import tokens
from plantstore.sql.administration.new_tokens import limit_grant
from plantstore.sql.administration.records import find_role, find_user, insert_user
from plantstore.sql.administration.tokens import IssuedToken, Token
from plantstore.sql.scopes import from_text
from plantstore.sql.session import Queries, Session

MAX_MEMBERS = 1000
MAX_TOKENS = 1000  # valid ones


def require_manager(session: Queries, caller: Caller) -> Caller:
    """The caller, with role, permissions and expiry as of now.

    :raises PlantStoreError: the token is no longer valid, or may not manage the store.
    """
    token = (caller.token_store_id, caller.token_hash)
    rows = session.query("find_valid_token", *token, now())
    if not rows:
        raise InvalidTokenError
    text, all_stores, expires_at = rows[0]
    if not (all_stores or caller.token_store_id == caller.store_id):
        raise NoSuchStoreError
    role = find_role(session, caller.store_id, caller.user_id)
    permissions = permissions_of(role, from_text(text))
    manager = replace(caller, role=role, permissions=permissions, expires_at=expires_at)
    require_scope(manager, Scope.MANAGE)
    return manager


def set_member(
    session: Session, manager: Caller, subject: str, role: Role
) -> tuple[User, Role | None]:
    """Give a user a role; returns the user, who is created if missing, and the previous role.

    :raises PlantStoreError: there would be no owner, or too many members; or the name is invalid.
    """
    user = find_user(session, subject) or insert_user(session, subject)
    before = members.set_member(session, manager.store_id, user, role, manager.user_id)
    if before is None and members.count(session, manager.store_id)[0] > MAX_MEMBERS:
        raise TooMuchAccessError(things="members")
    return user, before


def create_token(session: Queries, manager: Caller, grant: Grant) -> IssuedToken:
    """Create a token for a member, which expires no later than the manager's.

    :raises PlantStoreError: as ``limit_to_member``, or there are too many tokens.
    """
    user, grant = limit_to_member(session, manager.store_id, grant, manager.permissions)
    grant = replace(grant, expires_at=first_end(grant.expires_at, manager.expires_at))
    require_room(session, manager.store_id)
    return tokens.insert_token(session, manager.store_id, user.user_id, grant)


def first_end(*ends: int | None) -> int | None:
    """The earlier of two expiries; None means never."""
    return min((end for end in ends if end is not None), default=None)


def limit_to_member(
    session: Queries, store_id: int, grant: Grant, giver: frozenset[Scope]
) -> tuple[User, Grant]:
    """The member who is to get the grant, and the grant with its scopes.

    :raises PlantStoreError: the user is not a member, or the grant exceeds the role or the giver.
    """
    user, role = members.require_member(session, store_id, grant.subject)
    return user, limit_grant(grant, role, giver)


def require_room(session: Queries, store_id: int) -> None:
    """Return if the store may have another token.

    :raises TooMuchAccessError: it may not.
    """
    ((count,),) = session.query("count_tokens", store_id, now(), MAX_TOKENS)
    if count >= MAX_TOKENS:
        raise TooMuchAccessError(things="valid tokens")


def revoke_token(session: Queries, manager: Caller, token_id: str) -> tuple[Token, bool]:
    """Revoke a token that opens only this store; returns it, and whether it was still valid.

    :raises NoSuchTokenError: the store has no token with this id.
    """
    if find_hashes_of(token_id):  # else it may be a token, not an id
        with suppress(NoSuchTokenError):
            token = tokens.find_token(session, token_id)
            if token.store_id == manager.store_id and not token.all_stores:
                return tokens.revoke_token(session, token), token.revoked_at is None
    raise NoSuchTokenError(token_id=token_id)
