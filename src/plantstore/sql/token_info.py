"""Decodes the rows of a token's bearer, which are alike on every database."""

from collections.abc import Sequence

from plantstore.model import OpenStore, Role, Scope, TokenInfo, permissions_of
from plantstore.sql.scopes import from_text
from plantstore.sql.session import Row


def to_token_info(token_store_id: int, rows: Sequence[Row]) -> TokenInfo | None:
    """The bearer, from one row per store, or one without a store; None for no rows."""
    if not rows:
        return None
    user_id, subject, label, expires_at, own_store, scopes_text, _, _ = rows[0]
    scopes = from_text(scopes_text)
    stores = tuple(_to_store(row, scopes) for row in rows if row[-1] is not None)
    return TokenInfo(token_store_id, user_id, subject, label, expires_at, own_store, stores)


def _to_store(row: Row, scopes: frozenset[Scope]) -> OpenStore:
    *_, name, role_name = row
    role = Role(role_name)
    return OpenStore(name, role, permissions_of(role, scopes))
