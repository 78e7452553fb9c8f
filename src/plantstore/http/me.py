"""Describes a token's bearer and permissions: what a page or a program needs at first."""

from msgspec import Struct

from plantstore.clock import write_time
from plantstore.http.authentication import Authentication
from plantstore.http.responses import NO_STORE, json_response
from plantstore.model import OpenStore, Role, Scope, TokenInfo
from plantstore.server.messages import Request, Response


class MyStore(Struct, frozen=True):
    """A store that the token opens."""

    name: str
    role: Role
    scopes: list[Scope]


class Me(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The bearer of a token; what does not apply is left out."""

    user: str
    label: str
    store: str
    role: Role | None = None
    scopes: list[Scope]
    expires_at: str | None = None
    stores: list[MyStore]


async def describe_token(authentication: Authentication, request: Request) -> Response:
    """Respond with the token's description."""
    return json_response(200, _describe(await authentication.introspect(request)), NO_STORE)


def _describe(bearer: TokenInfo) -> Me:
    own = next((store for store in bearer.stores if store.name == bearer.store), None)
    return Me(
        user=bearer.subject,
        label=bearer.token_label,
        store=bearer.store,
        role=None if own is None else own.role,
        scopes=[] if own is None else _order(own.permissions),
        expires_at=None if bearer.expires_at is None else write_time(bearer.expires_at),
        stores=[describe_store(store) for store in bearer.stores],
    )


def describe_store(store: OpenStore) -> MyStore:
    """A store, as clients see it."""
    return MyStore(store.name, store.role, _order(store.permissions))


def _order(permissions: frozenset[Scope]) -> list[Scope]:
    return [scope for scope in Scope if scope in permissions]
