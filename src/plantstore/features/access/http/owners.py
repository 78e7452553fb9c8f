"""Runs the jobs in which owners read and change access to their stores; logs each change.

Invariant: a change is one transaction, in which the caller is looked up again. It is logged with
its author after the commit, even if the client has gone. As everywhere in the service's log, users
are named by number.
"""

from collections.abc import Awaitable, Callable, Mapping

from msgspec import Struct

from plantstore.core.database import Database
from plantstore.core.logs import administration_logger
from plantstore.core.model import Caller, Scope
from plantstore.features.access.http.bodies import read_body
from plantstore.features.access.owners import require_manager
from plantstore.http.app import App
from plantstore.http.log_lines import describe_caller, describe_request
from plantstore.http.preconditions import refuse_precondition
from plantstore.http.responses import JSON, NO_CONTENT, NO_STORE, json_response, make_response
from plantstore.http.routes import reads
from plantstore.server.messages import Request, Response
from plantstore.sql.administration.audit import Actor, write_audit
from plantstore.sql.administration.tokens import Token
from plantstore.sql.session import Session

Fields = Mapping[str, object]  # the fields of a log line about a change
UNCHANGED: Fields = {}  # of no change: nothing is logged
Record = Mapping[str, object]  # a token, link or member, as clients see it
Outcome = tuple[int, Record | None, Fields]  # a status with its record, or 204 without one
# Called with a session, the manager, the path's value if any, and the body if it has a type.
Change = Callable[..., Outcome]
# The JSON of a store's records, separated by commas: of all, or of one.
Read = Callable[[Database, int, str | None], Awaitable[bytes]]


def to_record(**fields: object) -> Record:
    """The fields that are not None."""
    return {name: value for name, value in fields.items() if value is not None}


class Owners:
    """The operations of owners on their stores."""

    def __init__(self, app: App) -> None:
        self._app = app

    def reads(self, pattern: str, read: Callable[..., Awaitable[bytes]]) -> None:
        """Add a read: it gets the store's number and the path's value if any, and returns JSON.

        A store has one read at a time, so that other stores get their turn.
        """

        async def operate(request: Request, *path: str) -> Response:
            app, (values, store_name) = self._app, split(pattern, path)
            caller = await app.authentication.admit(request, store_name, Scope.MANAGE)
            async with app.lanes.of(caller.principal):
                body = await read(app.database, caller.store_id, *values)
            return make_response(200, JSON + NO_STORE, body)

        self._app.routes.add_of_store(pattern, reads(operate))

    def lists(self, path: str, name: str, read: Read, missing: Callable[[str], Exception]) -> None:
        """Add a list of a store's records and, below it, each record by its ``name``."""

        async def show(database: Database, store_id: int, value: str | None = None) -> bytes:
            records = await read(database, store_id, value)
            if value is None:
                return b"[%b]" % records
            if not records:
                raise missing(value)
            return records

        self.reads(path, show)
        self.reads(f"{path}/{{{name}}}", show)

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
        fields = describe_request(request, self._app.client_address) | describe_caller(request)
        administration_logger().info("access changed", extra={"fields": {**fields, **changed}})


def split(pattern: str, path: tuple[str, ...]) -> tuple[tuple[str, ...], str | None]:
    """The values of a pattern, then the store's name, if the path has it."""
    count = pattern.count("{")
    return path[:count], path[count] if len(path) > count else None
