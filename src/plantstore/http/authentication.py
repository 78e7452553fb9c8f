"""Who sent a request: from its Authorization header to a caller who may do this, now.

A request takes its user's turn; where its token is not known to be valid and guesses came from its
address, the address's before.
"""

from plantstore import operations
from plantstore.database import Database
from plantstore.errors import InvalidTokenError, RequestError
from plantstore.http.client_address import ClientAddress
from plantstore.http.invalid_tokens import InvalidTokens, network_of
from plantstore.http.rates import Rates, require
from plantstore.http.turns import ROUTED, Turns
from plantstore.model import Caller, Scope, TokenInfo
from plantstore.server.messages import Request
from plantstore.settings import Settings, read_rate
from plantstore.tokens import MAX_LENGTH

_SCHEME = b"bearer "


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

    async def admit(self, request: Request, store_name: str | None, scope: Scope) -> Caller:
        """Who calls, in their turn, if they may do this in the store (None: their own).

        :raises PlantStoreError: the token is missing or not valid, has no access to the store, or
            may not do this; or there were too many calls.
        """
        token = _read_token(request)
        was_valid = self._invalid.was_valid(token)
        if not was_valid:
            await self._check_token(request, token)
        try:
            caller = await operations.authenticate(self._database, token, store_name, scope)
        except InvalidTokenError:
            self._invalid.count(self._client_address(request), token)
            raise
        if not was_valid:
            self._invalid.clear(token)
        request.caller = caller
        principal = caller.principal
        if self._rates is not None:
            require(self._rates.take(principal))
        if not self._turns.try_take(principal, ROUTED):
            await self._turns.take(principal, ROUTED)
        return caller

    async def identify(self, request: Request, store_name: str | None, scope: Scope) -> Caller:
        """As ``admit``, for a request that was admitted."""
        token = _read_token(request)
        return await operations.authenticate(self._database, token, store_name, scope)

    async def introspect(self, request: Request) -> TokenInfo:
        """Whose token it is, and which stores it opens.

        :raises PlantStoreError: the token is missing or not valid, or there were too many calls.
        """
        token = _read_token(request)
        await self._check_token(request, token)
        try:
            bearer = await operations.introspect(self._database, token)
        except InvalidTokenError:
            self._invalid.count(self._client_address(request), token)
            raise
        if self._rates is not None:
            require(self._rates.take(bearer.principal))
        await self._turns.take(bearer.principal, ROUTED)
        return bearer

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
