"""The records of tokens: written, listed, found and revoked, never with their secrets.

The functions run within a transaction of the given session.
"""

from collections.abc import Sequence

from msgspec.structs import replace

from plantstore.clock import now
from plantstore.errors import SetupError
from plantstore.model import INT64_MAX, Role, Store, User, find_hashes_of, token_id_of
from plantstore.sql.administered import (
    IssuedToken,
    RotatedToken,
    Rotation,
    Token,
    TokenState,
    find_state,
)
from plantstore.sql.scopes import from_text, to_text
from plantstore.sql.session import Row, Session
from plantstore.tokens import PREFIX, hash_token, is_well_formed, make_token, read_store_id

_KEY = 2  # columns: the store's number and the hash
_ALL = (0, INT64_MAX)  # the ids of the first and the last


def insert_token(
    session: Session, store_id: int, values: tuple[int, bool, str, str], expires_at: int | None
) -> tuple[str, Token]:
    """A new token's secret, and its record.

    The values are its user's number, whether it is for all stores, its scopes, and its label.
    """
    secret = make_token(store_id)
    key = (store_id, hash_token(secret))
    session.query("insert_token", *key, *values, now(), expires_at)
    (row,) = session.query("find_token", *key)
    return secret, _to_token(row)


def list_tokens(session: Session, store: Store | None, user: User | None) -> Sequence[Token]:
    """The tokens made for a store, of a user, or all; the oldest first."""
    stores = _ALL if store is None else (store.store_id, store.store_id)
    users = _ALL if user is None else (user.user_id, user.user_id)
    return [_to_token(row) for row in session.query("list_tokens", *stores, *users)]


def revoke_token(session: Session, token: str) -> Token:
    """Revoke a token, given its id or the token itself."""
    row = _find(session, token)
    found = _to_token(row)
    if found.revoked_at is not None:
        return found
    revoked_at = now()
    session.query("revoke_token", *row[:_KEY], revoked_at)
    return replace(found, revoked_at=revoked_at, state=TokenState.REVOKED)


def find_token(session: Session, token: str) -> Token:
    """A token, given its id or the token itself."""
    return _to_token(_find(session, token))


def rotate_token(session: Session, token: str, rotation: Rotation) -> RotatedToken:
    """Replace a token, given its id or itself, by one with the same user, store and scopes.

    :raises SetupError: it is not valid any more.
    """
    row = _find(session, token)
    old = _to_token(row)
    if not old.state.is_valid:
        raise SetupError(f"the token {old.token_id} is {old.state}: create another one")
    store_id, user_id = row[0], row[_KEY]
    values = (user_id, old.all_stores, to_text(old.scopes), old.label)
    issued = insert_token(session, store_id, values, _choose_expiry(old, rotation))
    ends_at = now() + rotation.grace
    if old.expires_at is None or ends_at < old.expires_at:
        session.query("set_expiry", *row[:_KEY], ends_at)
    (changed,) = session.query("find_token", *row[:_KEY])
    return RotatedToken(IssuedToken(*issued, ()), _to_token(changed))


def _choose_expiry(old: Token, rotation: Rotation) -> int | None:
    if rotation.is_expiry_given or old.expires_at is None:
        return rotation.expires_at
    return now() + old.expires_at - old.created_at


def _find(session: Session, token: str) -> Row:
    """The token's row, by its key or, given its id, by an index: no other token is read."""
    rows: Sequence[Row] = []
    if token.startswith(PREFIX + "_"):
        if not is_well_formed(token):
            raise SetupError("the token is mistyped: its checksum is wrong")
        rows = session.query("find_token", read_store_id(token), hash_token(token))
    elif hashes := find_hashes_of(token):
        rows = session.query("find_tokens_between", *hashes)
    if not rows:
        raise SetupError("there is no such token: `plantstore token list` shows all ids")
    return rows[0]


def _to_token(row: Row) -> Token:
    _, token_hash, _, store, subject, label, scopes, all_stores, *times, roles = row
    created_at, expires_at, revoked_at, last_used_at = times
    given = from_text(scopes)
    allowed = [Role(role).scopes for role in (roles or "").split(",") if role]
    return Token(
        token_id=token_id_of(token_hash),
        store=store,
        subject=subject,
        label=label,
        scopes=given,
        permissions=given & frozenset().union(*allowed),
        all_stores=bool(all_stores),
        created_at=created_at,
        expires_at=expires_at,
        revoked_at=revoked_at,
        last_used_at=last_used_at,
        state=find_state(expires_at, revoked_at, now()),
    )
