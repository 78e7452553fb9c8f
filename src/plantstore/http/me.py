"""``GET /me``: a token's user, and the stores that it opens."""

from plantstore.core.clock import write_time
from plantstore.core.database import Row
from plantstore.core.errors import NoSuchStoreError
from plantstore.core.model import Scope
from plantstore.http.authentication import Authentication
from plantstore.http.responses import NO_STORE, Record, json_response, to_record
from plantstore.server.messages import Request, Response
from plantstore.sql.scopes import read_access

_STORES_AT_A_TURN = 16  # they take up to 10 µs each


async def describe_token(authentication: Authentication, request: Request) -> Response:
    (user, label, expires_at, store, *_), stores = await _introspect(authentication, request)
    own = next((other for other in stores if other["name"] == store), {})
    me = to_record(
        user=user,
        label=label,
        store=store,
        role=own.get("role"),
        scopes=own.get("scopes", []),
        expires_at=expires_at and write_time(expires_at),
        stores=stores,
    )
    return json_response(200, me, NO_STORE)


async def describe_store(
    authentication: Authentication, request: Request, store_name: str
) -> Response:
    """Respond with one store of the token's description."""
    for store in (await _introspect(authentication, request))[1]:
        if store["name"] == store_name:
            return json_response(200, store, NO_STORE)
    raise NoSuchStoreError


async def _introspect(auth: Authentication, request: Request) -> tuple[Row, list[Record]]:
    """A row of ``find_token_info`` about the token, and the stores in all of them.

    :raises NoSuchStoreError: the token opens none.
    """
    rows, stores = await auth.introspect(request), []
    for number, (_, _, _, _, allowed, name, role_name, since, by) in enumerate(rows, 1):
        if not number % _STORES_AT_A_TURN:
            await auth.turns.take(request.turns_of, _STORES_AT_A_TURN)
        role, permissions = read_access(role_name, allowed)
        if role is None:
            raise NoSuchStoreError
        scopes = [scope for scope in Scope if scope in permissions]
        store = to_record(name=name, role=role, scopes=scopes, since=write_time(since), by=by)
        stores.append(store)
    return rows[0], stores
