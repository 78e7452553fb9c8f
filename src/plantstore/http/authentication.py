"""Who sent a request: from its Authorization header to a caller who may do this, now."""

from plantstore import operations
from plantstore.database import Database
from plantstore.errors import RequestError
from plantstore.http.rates import Rates
from plantstore.model import Caller, Scope, TokenInfo
from plantstore.server.messages import Request
from plantstore.tokens import MAX_LENGTH

_SCHEME = b"bearer "


class Authentication:
    """Identifies callers, and counts their calls if ``rates`` limits them."""

    def __init__(self, database: Database, rates: Rates | None) -> None:
        self._database = database
        self._rates = rates

    async def admit(self, request: Request, store_name: str | None, scope: Scope) -> Caller:
        """The caller, if they may do this in the store (None: their own), and not too often.

        :raises PlantStoreError: the token is missing or not valid, has no access to the store, or
            may not do this; or there were too many calls.
        """
        token = _read_token(request)
        caller = await operations.authenticate(self._database, token, store_name, scope)
        request.caller = caller
        if self._rates is not None:
            self._rates.check(caller.user_id)
        return caller

    async def identify(self, request: Request, store_name: str | None, scope: Scope) -> Caller:
        """As ``admit``, without counting the call."""
        token = _read_token(request)
        return await operations.authenticate(self._database, token, store_name, scope)

    async def introspect(self, request: Request) -> TokenInfo:
        """Whose token it is, and which stores it opens.

        :raises PlantStoreError: the token is missing or not valid, or there were too many calls.
        """
        bearer = await operations.introspect(self._database, _read_token(request))
        if self._rates is not None:
            self._rates.check(bearer.user_id)
        return bearer


def _read_token(request: Request) -> str:
    value = request.headers.get(b"authorization", b"")
    if value[:7].lower() != _SCHEME:
        raise RequestError(40101)
    return value[7:].strip().decode("latin-1")[:MAX_LENGTH]
