"""Reads and changes the access to one store for a request, and logs each change.

Invariant: a change is logged, with who made it, as soon as it is committed, whether the client
still waits or not. Users are named by their numbers, as everywhere in the service's log.
"""

from collections.abc import Callable, Hashable, Mapping
from typing import TypeVar

from plantstore.http.access.attempts import Attempt, Attempts
from plantstore.http.authentication import Authentication
from plantstore.http.limits.client_address import ClientAddress
from plantstore.http.monitoring.log_lines import describe_caller, describe_request
from plantstore.http.preconditions import refuse_precondition
from plantstore.logs import administration_logger
from plantstore.model import Caller, Scope
from plantstore.server.messages import Request
from plantstore.sql.access import Manager, require_manager
from plantstore.sql.session import Session

Fields = Mapping[str, object]  # what a log line says of a change
Result = TypeVar("Result")


class Changes:
    """All that is read and changed by the owners of stores."""

    def __init__(
        self, attempts: Attempts, authentication: Authentication, client_address: ClientAddress
    ) -> None:
        self._attempts = attempts
        self._authentication = authentication
        self._client_address = client_address

    async def admit(self, request: Request, store_name: str | None) -> Caller:
        """Who calls, if they may manage the store."""
        return await self._authentication.admit(request, store_name, Scope.MANAGE)

    async def read(self, caller: Caller, query: Callable[[Session], Result]) -> Result:
        """What a query finds."""
        return await self._attempts.run(caller.principal, lambda attempt: query(attempt.session))

    async def make(
        self,
        request: Request,
        caller: Caller,
        change: Callable[[Session, Manager], tuple[Result, Fields]],
    ) -> Result:
        """Make a change in one transaction, in which the caller is looked up again."""
        refuse_precondition(request.headers)

        def change_as_manager(session: Session) -> tuple[Result, Fields]:
            return change(session, require_manager(session, caller))

        return await self.commit(request, caller.principal, change_as_manager)

    async def commit(
        self, request: Request, key: Hashable, change: Callable[[Session], tuple[Result, Fields]]
    ) -> Result:
        """Make a change in one transaction; ``key`` is who asks for it, see ``Attempts``."""

        def work(attempt: Attempt[Result]) -> Result:
            with attempt.transaction():
                result, fields = change(attempt.session)
            self._log(request, fields)
            return result

        return await self._attempts.run(key, work)

    def _log(self, request: Request, changed: Fields) -> None:
        fields = describe_request(request, self._client_address) | describe_caller(request)
        administration_logger().info("access changed", extra={"fields": {**fields, **changed}})
