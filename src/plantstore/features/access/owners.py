"""The limits of the changes of access that owners make over HTTP.

Invariants: a change is made only while the caller's token is valid and may manage the store; no
token gets more permissions than its creator's token, nor a longer life; the store keeps an owner;
no rows of other stores are read or changed.
"""

from msgspec.structs import replace

from plantstore.core.clock import now
from plantstore.core.errors import InvalidTokenError, NoSuchStoreError, TooMuchAccessError
from plantstore.core.model import Caller, Grant, Scope, User, permissions_of
from plantstore.core.operations import require_scope
from plantstore.features.access import members
from plantstore.sql.administration.new_tokens import limit_grant
from plantstore.sql.administration.records import find_role
from plantstore.sql.scopes import from_text
from plantstore.sql.session import Queries

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
