"""Tokens: made with all that they need, listed without their secrets, revoked.

The functions are parts of a transaction of the records that they are given.
"""

import re
from collections.abc import Sequence

from plantstore.errors import SetupError
from plantstore.model import (
    EXPIRY_MAX,
    LABEL_MAX,
    IssuedToken,
    Role,
    Scope,
    Store,
    Token,
    TokenRequest,
    User,
    text_fault,
)
from plantstore.sql.records import Records, now
from plantstore.sql.session import Row
from plantstore.tokens import PREFIX, hash_token, is_well_formed, make_token, read_store_id

_HASH_LENGTH = 32
_ID_LENGTH = 8  # bytes of the hash, which an id is in hexadecimal
_ID = re.compile(f"[0-9a-f]{{{2 * _ID_LENGTH}}}")


def create_token(records: Records, request: TokenRequest) -> IssuedToken:
    """A new token, and its missing store, user and membership."""
    if request.label and (fault := text_fault(request.label, LABEL_MAX)):
        raise SetupError(f"a token's label {fault}")
    if request.expires_at is not None and not 0 <= request.expires_at <= EXPIRY_MAX:
        raise SetupError("a token's expiry must be from 1970 to 9999")
    made: list[str] = []
    user = records.find_user(request.subject)
    if user is None:
        user = records.insert_user(request.subject)
        made.append(f"made the user {user.subject}")
    if request.store is not None:
        role = _join(records, request.store, user, request.role, made)
        store = records.demand_store(request.store)
    if request.store is None or request.all_stores:
        store = _demand_first_store(records, user)
        role = Role.OWNER  # the role in each store bounds what the token may do there
    scopes = _choose_scopes(request.scopes, role)
    secret = make_token(store.store_id)
    key = (store.store_id, hash_token(secret))
    records.query(
        "insert_token",
        *key,
        user.user_id,
        request.all_stores,
        ",".join(sorted(scopes)),
        request.label,
        now(),
        request.expires_at,
    )
    (row,) = records.query("find_token", *key)
    return IssuedToken(secret, _to_token(row), tuple(made))


def list_tokens(records: Records, store: str | None) -> Sequence[Token]:
    """The tokens made for a store, or all; the oldest first."""
    return [_to_token(row) for row in records.query("list_tokens", store)]


def revoke_token(records: Records, token: str) -> Token:
    """Refuse the token from now on, given its id or itself."""
    row = _find(records, token)
    store_id, token_hash, *_, revoked_at = row
    if revoked_at is None:
        revoked_at = now()
        records.query("revoke_token", store_id, token_hash, revoked_at)
    return _to_token((*row[:-1], revoked_at))


def _find(records: Records, token: str) -> Row:
    """The token's row, by its key or, given its id, by an index: no other token is looked at."""
    rows: Sequence[Row] = []
    if token.startswith(PREFIX + "_"):
        if not is_well_formed(token):
            raise SetupError("the token is mistyped: its checksum is wrong")
        rows = records.query("find_token", read_store_id(token), hash_token(token))
    elif _ID.fullmatch(token):
        lowest = bytes.fromhex(token)
        highest = lowest.ljust(_HASH_LENGTH, b"\xff")
        rows = records.query("find_tokens_between", lowest, highest)
    if not rows:
        raise SetupError("there is no such token: `plantstore token list` shows the ids of all")
    return rows[0]


def _join(
    records: Records, store_name: str, user: User, wanted: Role | None, made: list[str]
) -> Role:
    """The user's role in the store; a new store's first member owns it."""
    store = records.find_store(store_name)
    default = Role.EDITOR
    if store is None:
        store = records.insert_store(store_name)
        made.append(f"made the store {store.name}")
        default = Role.OWNER
    role = records.find_role(store, user)
    if role is None:
        role = wanted or default
        records.set_role(store, user, role)
        made.append(f"made {user.subject} {role} of {store.name}")
    elif wanted not in (None, role):
        raise SetupError(
            f"{user.subject} is {role} of {store.name} already: change that with "
            f"`plantstore member add --store {store.name} --user {user.subject} --role {wanted}`"
        )
    return role


def _demand_first_store(records: Records, user: User) -> Store:
    rows = records.query("find_first_store", user.user_id)
    if not rows:
        raise SetupError(f"{user.subject} is no member of any store: name one with --store")
    return Store(*rows[0])


def _choose_scopes(wanted: frozenset[Scope] | None, role: Role) -> frozenset[Scope]:
    if wanted is None:
        return role.scopes
    if beyond := wanted - role.scopes:
        raise SetupError(f"the role {role} does not allow: {', '.join(sorted(beyond))}")
    return wanted


def _to_token(row: Row) -> Token:
    _, token_hash, store, subject, label, scopes, all_stores, *times = row
    created_at, expires_at, revoked_at = times
    return Token(
        token_id=token_hash[:_ID_LENGTH].hex(),
        store=store,
        subject=subject,
        label=label,
        scopes=frozenset(map(Scope, scopes.split(","))),
        all_stores=bool(all_stores),
        created_at=created_at,
        expires_at=expires_at,
        revoked_at=revoked_at,
    )
