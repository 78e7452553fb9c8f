"""``GET /me``: a token's user, and the stores that it opens."""

from collections.abc import Sequence

from msgspec import Struct

from plantstore.core.clock import write_time
from plantstore.core.database import Row
from plantstore.core.errors import NoSuchStoreError
from plantstore.core.model import Role, Scope
from plantstore.http.authentication import Authentication
from plantstore.http.responses import NO_STORE, json_response
from plantstore.server.messages import Request, Response
from plantstore.sql.scopes import read_access


class MyStore(Struct, frozen=True, omit_defaults=True):
    """A store that the token opens; ``by`` is the user who added the token's user, if any."""

    name: str
    role: Role
    scopes: list[Scope]
    since: str
    by: str | None = None


class Me(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The holder of a token; fields that do not apply are omitted."""

    user: str
    label: str
    store: str
    role: Role | None = None
    scopes: list[Scope]
    expires_at: str | None = None
    stores: list[MyStore]


async def describe_token(authentication: Authentication, request: Request) -> Response:
    """Respond with the token's description."""
    rows = await authentication.introspect(request)
    user, label, expires_at, store, *_ = rows[0]
    stores = _describe_stores(rows)
    own = next((other for other in stores if other.name == store), None)
    me = Me(
        user=user,
        label=label,
        store=store,
        role=None if own is None else own.role,
        scopes=[] if own is None else own.scopes,
        expires_at=None if expires_at is None else write_time(expires_at),
        stores=stores,
    )
    return json_response(200, me, NO_STORE)


async def describe_store(
    authentication: Authentication, request: Request, store_name: str
) -> Response:
    """Respond with one store of the token's description."""
    for store in _describe_stores(await authentication.introspect(request)):
        if store.name == store_name:
            return json_response(200, store, NO_STORE)
    raise NoSuchStoreError


def _describe_stores(rows: Sequence[Row]) -> list[MyStore]:
    """The stores in rows of ``find_token_info``.

    :raises NoSuchStoreError: the token opens none.
    """
    stores = []
    for _, _, _, _, allowed, name, role_name, since, by in rows:
        role, permissions = read_access(role_name, allowed)
        if role is None:
            raise NoSuchStoreError
        scopes = [scope for scope in Scope if scope in permissions]
        stores.append(MyStore(name, role, scopes, write_time(since), by))
    return stores
