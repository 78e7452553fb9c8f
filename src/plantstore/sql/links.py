"""Links to sign in with: each has a code, good once and for ten minutes, that gives a new token.

The functions run within a transaction of the given session. Invariants: of a code only the hash is
stored; of two who use a code at once, one gets a token.
"""

from msgspec import Struct

from plantstore.clock import now
from plantstore.errors import InvalidCodeError, TooMuchAccessError
from plantstore.model import User
from plantstore.sql.access import Grant, StoreToken, insert_token, require_room
from plantstore.sql.records import find_role
from plantstore.sql.scopes import from_text, to_text
from plantstore.sql.session import Queries
from plantstore.tokens import CODE_PREFIX, hash_token, make_token, read_store_id

CODE_LIFETIME_MS = 10 * 60 * 1000
MAX_LINKS = 100  # of a store, that have not expired


class MadeLink(Struct, frozen=True):
    """A link's code, which is never shown again, who gets the token, and when the code expires."""

    code: str
    subject: str
    expires_at: int


class Exchanged(Struct, frozen=True):
    """The token that a code gave: its secret and its record, with its store and user."""

    secret: str
    token: StoreToken
    store_id: int
    store: str
    user: User


def make_link(session: Queries, store_id: int, grant: Grant) -> MadeLink:
    """A link that gives this token; links of the store that have expired are deleted.

    :raises TooMuchAccessError: the store has too many.
    """
    session.query("delete_expired_links", store_id, now())
    ((count,),) = session.query("count_links", store_id)
    if count >= MAX_LINKS:
        raise TooMuchAccessError(things="unused links")
    code, expires_at = make_token(store_id, CODE_PREFIX), now() + CODE_LIFETIME_MS
    key = (store_id, hash_token(code), grant.user.user_id)
    token = (to_text(grant.scopes), grant.label, grant.expires_at)
    session.query("insert_link", *key, *token, expires_at)
    return MadeLink(code, grant.user.subject, expires_at)


def exchange_code(session: Queries, code: str) -> Exchanged:
    """Use a code up; what it gives.

    :raises InvalidCodeError: it is unknown, was used or has expired, or its user is not a member of
        the store any more.
    """
    store_id = read_store_id(code, CODE_PREFIX)
    rows = session.query("take_link", store_id, hash_token(code), now()) if store_id else []
    if not store_id or not rows:
        raise InvalidCodeError
    user_id, scopes, label, token_expires_at = rows[0]
    if find_role(session, store_id, user_id) is None:
        raise InvalidCodeError
    require_room(session, store_id)
    ((store, subject),) = session.query("find_names", store_id, user_id)
    grant = Grant(User(user_id, subject), from_text(scopes), label, token_expires_at)
    return Exchanged(*insert_token(session, store_id, grant), store_id, store, grant.user)
