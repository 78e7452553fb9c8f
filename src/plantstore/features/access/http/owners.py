"""Runs the jobs in which owners read and change access to their stores; logs each change.

Invariants: a change is one transaction, in which the caller is looked up again: the token must be
valid, and manage the store. No token gets more permissions than its creator's, nor a longer life;
the store keeps an owner; no rows of other stores are read or changed. A change is logged with its
author after the commit, even if the client has gone. As everywhere in the service's log, users are
named by number.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from plantstore.core.clock import now
from plantstore.core.errors import InvalidTokenError, NoSuchStoreError
from plantstore.core.logs import administration_logger
from plantstore.core.model import Caller, Scope
from plantstore.core.operations import require_scope
from plantstore.features.access.http.bodies import read_body
from plantstore.http.app import App
from plantstore.http.log_lines import describe_caller, describe_request
from plantstore.http.responses import NO_CONTENT, NO_STORE, Record, json_response
from plantstore.http.routes import reads
from plantstore.http.write_headers import refuse_precondition
from plantstore.server.messages import Request, Response
from plantstore.sql.administration.audit import Actor, write_audit
from plantstore.sql.administration.records import find_role
from plantstore.sql.administration.tokens import Token
from plantstore.sql.scopes import read_access
from plantstore.sql.session import Queries, Session

Fields = Mapping[str, object]  # the fields of a log line about a change
UNCHANGED: Fields = {}  # of no change: nothing is logged
Outcome = tuple[int, Record | None, Fields]  # a status with its record, or 204 without one
# Called with a session, the manager, the path's value if any, and the body if it has a type.
Change = Callable[..., Outcome]
# Called with the database, the store, and the path's value if any; raises an error without a row.
Read = Callable[..., Awaitable[Sequence[Any]]]
Describe = Callable[[Any], Record]


class Owners:
    """The operations of owners on their stores."""

    def __init__(self, app: App) -> None:
        self._app = app

    def lists(self, *patterns: str, read: Read, describe: Describe) -> None:
        """Add lists of a store's records; a path that ends with a value is that of one record."""
        for pattern in patterns:
            operate = partial(self._list, pattern, read, describe)
            self._app.routes.add_of_store(pattern, reads(operate))

    async def _list(
        self, pattern: str, read: Read, describe: Describe, request: Request, *path: str
    ) -> Response:
        """A store has one read at a time, in which each record takes a turn."""
        app, (values, store_name) = self._app, split(pattern, path)
        caller, records = await app.authentication.admit(request, store_name, Scope.MANAGE), []
        async with app.lanes.of(request, is_long=True):
            for row in await read(app.database, caller.store_id, *values):
                await app.turns.take(caller.principal, 1)
                records.append(describe(row))
        return json_response(200, records[0] if pattern.endswith("}") else records, NO_STORE)

    def changes(
        self,
        action: str,
        method: str,
        pattern: str,
        change: Change,
        kind: type[Struct] | None = None,
    ) -> None:
        """Add a change to a store; ``action`` is its name in the audit trail."""

        async def operate(request: Request, *path: str) -> Response:
            values, store_name = split(pattern, path)
            caller = await self._app.authentication.admit_write(request, store_name, Scope.MANAGE)
            body = () if kind is None else (await read_body(self._app, request, kind),)
            refuse_precondition(request.headers)

            def work(session: Session) -> Response:
                with session.transaction():
                    manager = require_manager(session, caller)
                    status, record, changed = change(session, manager, *values, *body)
                    if changed:
                        self.audit(session, request, action, caller, changed)
                if changed:
                    self.log(request, changed)
                return json_response(status, record, NO_STORE) if record is not None else NO_CONTENT

            return await self._app.administer(caller.token_store_id, work)

        self._app.routes.add_of_store(pattern, {method: operate})

    def audit(
        self, session: Session, request: Request, action: str, by: Caller | Token, changed: Fields
    ) -> None:
        """Record a change in the audit trail, in its transaction, with the token's user."""
        actor = Actor(self._app.client_address(request), by.user_id, by.token_id)
        ((store,),) = session.query("find_store_name", by.store_id)
        details = {key: value for key, value in changed.items() if key != "member_id"}
        write_audit(session, actor, action, store, changed.get("member_id"), **details)

    def log(self, request: Request, changed: Fields) -> None:
        fields = describe_request(request, self._app.client_address(request))
        fields |= {**describe_caller(request), **changed}
        administration_logger().info("access changed", extra={"fields": fields})


def split(pattern: str, path: tuple[str, ...]) -> tuple[tuple[str, ...], str | None]:
    """The values of a pattern, then the store's name, if the path has it."""
    count = pattern.count("{")
    return path[:count], path[count] if len(path) > count else None


def require_manager(session: Queries, caller: Caller) -> Caller:
    """The caller, with role, permissions and expiry as of now.

    :raises PlantStoreError: the token is no longer valid, or may not manage the store.
    """
    rows = session.query("find_valid_token", caller.token_store_id, caller.token_hash, now())
    if not rows:
        raise InvalidTokenError
    text, all_stores, expires_at = rows[0]
    if not (all_stores or caller.token_store_id == caller.store_id):
        raise NoSuchStoreError
    role, permissions = read_access(find_role(session, caller.store_id, caller.user_id), text)
    manager = replace(caller, role=role, permissions=permissions, expires_at=expires_at)
    require_scope(manager, Scope.MANAGE)
    return manager
