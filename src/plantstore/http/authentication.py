"""Who sent a request: from its Authorization header to a caller who may do this, now.

A request takes its user's turn; where its token is not known to be valid and guesses came from its
address, the address's before.
"""

from collections.abc import Awaitable, Callable

from plantstore.database import Database
from plantstore.errors import (
    ForbiddenError,
    InvalidTokenError,
    NoSuchStoreError,
    OverloadedError,
    RequestError,
)
from plantstore.http.limits.client_address import ClientAddress
from plantstore.http.limits.invalid_tokens import InvalidTokens, network_of
from plantstore.http.limits.rates import Rates, require
from plantstore.http.limits.turns import ROUTED, Turns
from plantstore.http.recent_callers import RecentCallers
from plantstore.model import Caller, Scope, TokenInfo
from plantstore.operations import authenticate, introspect
from plantstore.server.messages import Request, Response
from plantstore.settings import Settings, read_rate
from plantstore.tokens import MAX_LENGTH, parse_token

_SCHEME = b"bearer "
_REFUSALS = (
    *(RequestError, OverloadedError),  # without a transaction
    *(InvalidTokenError, ForbiddenError, NoSuchStoreError),  # by it
)

Write = Callable[..., Awaitable[Response]]  # of a request, its caller and the path's values


class Authentication:
    """Identifies callers, who take ``turns``, and whose calls the ``rates`` limit, if any."""

    def __init__(
        self, database: Database, settings: Settings, rates: Rates | None, turns: Turns
    ) -> None:
        self._database = database
        self._client_address = ClientAddress(settings.trusted_proxies)
        self._invalid = InvalidTokens(*read_rate(settings.invalid_token_rate))
        self._rates = rates
        self._turns = turns
        self._recent = RecentCallers()

    async def admit(self, request: Request, store_name: str | None, scope: Scope) -> Caller:
        """Who calls, in their turn, if they may do this in the store (None: their own).

        :raises PlantStoreError: the token is missing or not valid, has no access to the store, or
            may not do this; or there were too many calls.
        """
        caller = await self._find_caller(request, store_name, scope)
        if not self._try_take_turn(request, caller):
            await self._turns.take(caller.principal, ROUTED)
        return caller

    async def write(
        self, request: Request, store_name: str | None, scope: Scope, write: Write, *arguments: str
    ) -> Response:
        """The response of an operation that writes as its caller, in their turn.

        Its transaction checks the caller again, so that one of a moment ago will do. What is
        refused without a transaction is refused after a look-up.

        :raises PlantStoreError: as ``admit``, or the operation.
        """
        sent = request.headers.get(b"authorization")
        caller = self._recent.find(sent, scope) if store_name is None else None
        if caller is None:
            caller = await self._find_writer(request, store_name, scope)
        try:
            if not self._try_take_turn(request, caller):
                await self._turns.take(caller.principal, ROUTED)
            return await write(request, caller, *arguments)
        except _REFUSALS:
            self._recent.forget(sent)
            await self._find_writer(request, store_name, scope)  # who may be refused by now
            raise

    async def introspect(self, request: Request) -> TokenInfo:
        """Whose token it is, and which stores it opens.

        :raises PlantStoreError: the token is missing or not valid, or there were too many calls.
        """
        token = _read_token(request)
        await self._check_token(request, token)
        try:
            bearer = await introspect(self._database, parse_token(token))
        except InvalidTokenError:
            self._invalid.count(self._client_address(request), token)
            raise
        if self._rates is not None:
            require(self._rates.take(bearer.principal))
        await self._turns.take(bearer.principal, ROUTED)
        return bearer

    async def _find_caller(self, request: Request, store_name: str | None, scope: Scope) -> Caller:
        """Who calls, as of now."""
        request.caller = None
        token = _read_token(request)
        was_valid = self._invalid.was_valid(token)
        if not was_valid:
            await self._check_token(request, token)
        try:
            caller = await authenticate(self._database, parse_token(token), store_name, scope)
        except InvalidTokenError:
            self._invalid.count(self._client_address(request), token)
            raise
        if not was_valid:
            self._invalid.clear(token)
        request.caller = caller
        return caller

    async def _find_writer(self, request: Request, store_name: str | None, scope: Scope) -> Caller:
        """Who calls, as of now, and for the writes of the next moment."""
        caller = await self._find_caller(request, store_name, scope)
        if store_name is None:
            self._recent.note(request.headers[b"authorization"], caller)
        return caller

    def _try_take_turn(self, request: Request, caller: Caller) -> bool:
        """Count their call; whether it is their turn."""
        request.caller = caller
        if self._rates is not None:
            require(self._rates.take(caller.principal))
        return self._turns.try_take(caller.principal, ROUTED)

    async def _check_token(self, request: Request, token: str) -> None:
        address = self._client_address(request)
        if self._invalid.has_come_from(address):
            await self._turns.take(network_of(address), ROUTED)
        self._invalid.check(address, token)


def _read_token(request: Request) -> str:
    value = request.headers.get(b"authorization", b"")
    if value[:7].lower() != _SCHEME:
        raise RequestError(40101)
    return value[7:].strip().decode("latin-1")[:MAX_LENGTH]
