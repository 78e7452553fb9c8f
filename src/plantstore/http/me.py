"""``GET /me``: a token's user, and the stores that it opens."""

from msgspec import Struct

from plantstore.core.clock import write_time
from plantstore.core.errors import NoSuchStoreError
from plantstore.core.model import OpenStore, Role, Scope
from plantstore.http.authentication import Authentication
from plantstore.http.responses import NO_STORE, json_response
from plantstore.server.messages import Request, Response


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
    bearer = await authentication.introspect(request)
    stores = [_describe_store(store) for store in bearer.stores]
    own = next((store for store in stores if store.name == bearer.store), None)
    me = Me(
        user=bearer.subject,
        label=bearer.token_label,
        store=bearer.store,
        role=None if own is None else own.role,
        scopes=[] if own is None else own.scopes,
        expires_at=None if bearer.expires_at is None else write_time(bearer.expires_at),
        stores=stores,
    )
    return json_response(200, me, NO_STORE)


async def describe_store(
    authentication: Authentication, request: Request, store_name: str
) -> Response:
    """Respond with one store of the token's description."""
    for store in (await authentication.introspect(request)).stores:
        if store.name == store_name:
            return json_response(200, _describe_store(store), NO_STORE)
    raise NoSuchStoreError


def _describe_store(store: OpenStore) -> MyStore:
    scopes = [scope for scope in Scope if scope in store.permissions]
    return MyStore(store.name, store.role, scopes, write_time(store.since), store.by)
