"""The records of tokens: written, listed, found and revoked, never with their secrets.

The functions run within a transaction of the given session.
"""

import re
from collections.abc import Sequence

from plantstore.clock import now
from plantstore.errors import SetupError
from plantstore.model import Scope, Store, Token, TokenRequest, User, token_id_of
from plantstore.sql import scopes as scopes_column
from plantstore.sql.session import Row, Session
from plantstore.tokens import PREFIX, hash_token, is_well_formed, make_token, read_store_id

_HASH_LENGTH = 32
_ID_LENGTH = 8  # bytes of the hash: in hexadecimal they are the id
_ID = re.compile(f"[0-9a-f]{{{2 * _ID_LENGTH}}}")


def insert_token(
    session: Session, store: Store, user: User, request: TokenRequest, scopes: frozenset[Scope]
) -> tuple[str, Token]:
    """A new token's secret, and its record."""
    secret = make_token(store.store_id)
    key = (store.store_id, hash_token(secret))
    values = (request.all_stores, scopes_column.to_text(scopes), request.label)
    session.query("insert_token", *key, user.user_id, *values, now(), request.expires_at)
    (row,) = session.query("find_token", *key)
    return secret, _to_token(row)


def list_tokens(session: Session, store: Store | None) -> Sequence[Token]:
    """The tokens made for a store, or all; the oldest first."""
    if store is None:
        rows = session.query("list_tokens")
    else:
        rows = session.query("list_tokens_of_store", store.store_id)
    return [_to_token(row) for row in rows]


def revoke_token(session: Session, token: str) -> Token:
    """Revoke a token, given its id or the token itself."""
    row = _find(session, token)
    store_id, token_hash, *_, revoked_at = row
    if revoked_at is None:
        revoked_at = now()
        session.query("revoke_token", store_id, token_hash, revoked_at)
    return _to_token((*row[:-1], revoked_at))


def _find(session: Session, token: str) -> Row:
    """The token's row, by its key or, given its id, by an index: no other token is read."""
    rows: Sequence[Row] = []
    if token.startswith(PREFIX + "_"):
        if not is_well_formed(token):
            raise SetupError("the token is mistyped: its checksum is wrong")
        rows = session.query("find_token", read_store_id(token), hash_token(token))
    elif _ID.fullmatch(token):
        lowest = bytes.fromhex(token)
        highest = lowest.ljust(_HASH_LENGTH, b"\xff")
        rows = session.query("find_tokens_between", lowest, highest)
    if not rows:
        raise SetupError("there is no such token: `plantstore token list` shows all ids")
    return rows[0]


def _to_token(row: Row) -> Token:
    _, token_hash, store, subject, label, scopes, all_stores, *times = row
    created_at, expires_at, revoked_at = times
    return Token(
        token_id=token_id_of(token_hash),
        store=store,
        subject=subject,
        label=label,
        scopes=scopes_column.from_text(scopes),
        all_stores=bool(all_stores),
        created_at=created_at,
        expires_at=expires_at,
        revoked_at=revoked_at,
    )
