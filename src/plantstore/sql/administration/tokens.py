"""Inserts, lists, finds, rotates and revokes the records of tokens, which never have the secret."""

from contextlib import suppress
from enum import StrEnum

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from plantstore.core.clock import DAY_MS, now
from plantstore.core.database import Row
from plantstore.core.errors import NoSuchTokenError, SetupError
from plantstore.core.model import INT64_MAX, Grant, Scope, find_hashes_of, token_id_of
from plantstore.core.tokens import PREFIX, hash_token, is_well_formed, make_token
from plantstore.sql.scopes import from_text, read_access, to_text
from plantstore.sql.session import Queries

SOON_MS = 14 * DAY_MS  # before expiry, a token is listed as expiring


class TokenState(StrEnum):
    """Whether a token is valid; EXPIRING: it is, but expires soon."""

    ACTIVE = "active"
    EXPIRING = "expiring"
    EXPIRED = "expired"
    REVOKED = "revoked"


class Token(Struct, frozen=True):
    """A stored token: everything except the secret.

    ``permissions`` are what both its scopes and its user's roles allow, in any store that it opens,
    while it is valid. ``last_used_at`` is None for never; the last use may have been up to two
    minutes later. ``state`` is as of the reading.
    """

    store_id: int
    token_hash: bytes
    user_id: int
    store: str
    subject: str
    label: str
    scopes: frozenset[Scope]
    permissions: frozenset[Scope]
    all_stores: bool
    created_at: int
    expires_at: int | None
    revoked_at: int | None
    last_used_at: int | None
    state: TokenState

    @property
    def token_id(self) -> str:
        return token_id_of(self.token_hash)

    @property
    def is_valid(self) -> bool:
        return self.state in {TokenState.ACTIVE, TokenState.EXPIRING}


class IssuedToken(Struct, frozen=True):
    """A new token, whose secret is shown only once, and what was created with it, in words."""

    secret: str
    token: Token
    made: tuple[str, ...] = ()


def insert_token(
    session: Queries, store_id: int, user_id: int, grant: Grant, secret: str | None = None
) -> IssuedToken:
    """Insert a token with the granted scopes, without any check; ``secret`` is a declared token."""
    secret = secret or make_token(store_id)
    token_hash = hash_token(secret)
    values = (grant.all_stores, to_text(grant.scopes or ()), grant.label, now(), grant.expires_at)
    session.query("insert_token", store_id, token_hash, user_id, *values, None)
    (row,) = session.query("find_token", token_hash, token_hash)
    return IssuedToken(secret, _to_token(row))


def list_tokens(
    session: Queries, store_id: int | None = None, user_id: int | None = None
) -> list[Token]:
    """Tokens, of a store, of a user, or all, the oldest first."""
    rows = session.query("list_tokens", *number_range(store_id), *number_range(user_id))
    return [_to_token(row) for row in rows]


def find_token(session: Queries, token: str) -> Token:
    """A token, given its id or the token itself, which may be a declared one.

    :raises SetupError: its checksum is wrong.
    :raises NoSuchTokenError: there is none.
    """
    if token.startswith(f"{PREFIX}_") and not is_well_formed(token):
        raise SetupError("the token is mistyped: its checksum is wrong; copy all of it")
    exact = hash_token(token) if token.isascii() else b""  # else it cannot be a token
    rows = session.query("find_token", *(find_hashes_of(token) or (exact, exact)))
    if not rows:
        raise NoSuchTokenError
    return _to_token(rows[0])


def rotate_token(session: Queries, old: Token, grace: int) -> tuple[IssuedToken, Token]:
    """Replace a token: returns the new token, for the same user, store and scopes, and the old one.

    The old token stays valid for at most ``grace`` milliseconds; the new one has the same lifetime,
    even if the old one was rotated before.

    :raises SetupError: the old token is no longer valid.
    """
    if not old.is_valid:
        raise SetupError(f"the token {old.token_id} is {old.state}: create a new one")
    lifetime = _find_lifetime(session, old)
    rights = Grant(old.subject, scopes=old.scopes, label=old.label, all_stores=old.all_stores)
    grant = replace(rights, expires_at=lifetime and now() + lifetime)
    issued = insert_token(session, old.store_id, old.user_id, grant)
    ends_at = min(now() + grace, old.expires_at or INT64_MAX)
    session.query("set_expiry", old.store_id, old.token_hash, ends_at)
    if grace == 0:
        revoke_token(session, old)  # whatever the clocks of other machines say
    return issued, find_token(session, old.token_id)


def _find_lifetime(session: Queries, token: Token) -> int | None:
    """How long the token was to be valid: if a rotation has shortened that, as the new one."""
    mark = f'%"old_token_id":"{token.token_id}"%'
    for (details,) in session.query("find_rotation", token.created_at, mark):
        with suppress(NoSuchTokenError):  # deleted
            new = find_token(session, msgspec.json.decode(details)["token_id"])
            return _find_lifetime(session, new)
    return token.expires_at and token.expires_at - token.created_at


def revoke_token(session: Queries, token: Token) -> Token:
    """Revoke a token; returns it, unchanged if it was already revoked."""
    if token.revoked_at is not None:
        return token
    revoked_at = now()
    session.query("revoke_token", token.store_id, token.token_hash, revoked_at)
    return replace(token, revoked_at=revoked_at, state=TokenState.REVOKED)


def revoke_tokens(
    session: Queries, store_id: int | None = None, user_id: int | None = None
) -> list[Token]:
    """Revoke the valid tokens of ``list_tokens``, in one statement, and end their links."""
    bounds = (*number_range(store_id), *number_range(user_id))
    session.query("delete_links", *bounds)
    revoked = {token_hash for (token_hash,) in session.query("revoke_tokens", *bounds, now())}
    tokens = list_tokens(session, store_id, user_id)
    return [token for token in tokens if token.token_hash in revoked]


def number_range(number: int | None) -> tuple[int, int]:
    """The first and the last number of one store or user, or of all."""
    return (0, INT64_MAX) if number is None else (number, number)


def _to_token(row: Row) -> Token:
    text, all_stores, *times, roles = row[6:]
    allowed = (read_access(role, text)[1] for role in (roles or "").split(",") if role)
    permissions = frozenset[Scope]().union(*allowed)
    state = _find_state(times[1], times[2])
    values: Row = (*row[:6], from_text(text), permissions, bool(all_stores), *times, state)
    return Token(*values)


def _find_state(expires_at: int | None, revoked_at: int | None) -> TokenState:
    if revoked_at is not None:
        return TokenState.REVOKED
    at = now()
    if expires_at is None or expires_at > at + SOON_MS:
        return TokenState.ACTIVE
    return TokenState.EXPIRING if expires_at > at else TokenState.EXPIRED
