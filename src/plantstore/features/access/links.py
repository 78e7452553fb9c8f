"""Links to sign in with: each has a code, good once and for ten minutes, that gives a new token.

Invariants: of a code only the hash is stored; of two who use a code at once, one gets a token.
"""

from msgspec import Struct

from plantstore.clock import now
from plantstore.errors import InvalidCodeError, TooMuchAccessError
from plantstore.features.access.owners import limit_to_member, require_room
from plantstore.model import Grant, Scope, User
from plantstore.sql.administration.new_tokens import ANYTHING
from plantstore.sql.administration.records import find_role
from plantstore.sql.administration.tokens import IssuedToken, insert_token
from plantstore.sql.scopes import from_text, to_text
from plantstore.sql.session import Queries
from plantstore.tokens import CODE_PREFIX, hash_token, make_token, read_store_id

CODE_LIFETIME_MS = 10 * 60 * 1000
MAX_LINKS = 100  # of a store, that have not expired


class Link(Struct, frozen=True):
    """A link's code, which is never shown again, what it gives to whom, and when it expires."""

    code: str
    user: User
    grant: Grant
    expires_at: int


def create_link(
    session: Queries, store_id: int, grant: Grant, giver: frozenset[Scope] = ANYTHING
) -> Link:
    """A link that gives a member this token; links of the store that have expired are deleted.

    :raises PlantStoreError: as ``limit_to_member``, or the store has too many.
    """
    user, grant = limit_to_member(session, store_id, grant, giver)
    session.query("delete_expired_links", store_id, now())
    ((count,),) = session.query("count_links", store_id)
    if count >= MAX_LINKS:
        raise TooMuchAccessError(things="unused links")
    code, expires_at = make_token(store_id, CODE_PREFIX), now() + CODE_LIFETIME_MS
    token = (to_text(grant.scopes or ()), grant.label, grant.expires_at)
    session.query("insert_link", store_id, hash_token(code), user.user_id, *token, expires_at)
    return Link(code, user, grant, expires_at)


def exchange_code(session: Queries, code: str) -> IssuedToken:
    """Use a code up; the token that it gives.

    :raises InvalidCodeError: it is unknown, was used or has expired, or its user is not a member of
        the store any more.
    """
    store_id = read_store_id(code, CODE_PREFIX)
    rows = session.query("take_link", store_id, hash_token(code), now()) if store_id else []
    if not store_id or not rows:
        raise InvalidCodeError
    user_id, scopes, label, expires_at = rows[0]
    if find_role(session, store_id, user_id) is None:
        raise InvalidCodeError
    require_room(session, store_id)
    # Its user is known by the number.
    grant = Grant("", scopes=from_text(scopes), label=label, expires_at=expires_at)
    return insert_token(session, store_id, user_id, grant)
