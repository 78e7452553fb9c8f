"""Who sent a request: from its Authorization header to a caller who may do this, now."""

from plantstore import operations
from plantstore.database import Database
from plantstore.errors import RequestError
from plantstore.http.parameters import PlantsPath
from plantstore.http.rates import Rates
from plantstore.model import Caller, Scope, TokenInfo
from plantstore.server.messages import Request

_SCHEME = b"bearer "


class Authentication:
    """Identifies callers, and counts their calls."""

    def __init__(self, database: Database, rates: Rates) -> None:
        self._database = database
        self._rates = rates

    async def admit(self, request: Request, path: PlantsPath, scope: Scope) -> Caller:
        """Who calls, if they may, and not too often.

        :raises PlantStoreError: the token is missing or not valid, does not open the store, or may
            not do this; or there were too many calls.
        """
        caller = await self.identify(request, path, scope)
        self._rates.check(caller.user_id)
        return caller

    async def identify(self, request: Request, path: PlantsPath, scope: Scope) -> Caller:
        """As ``admit``, without counting the call."""
        token = read_token(request)
        caller = await operations.authenticate(self._database, token, path.store_name)
        operations.authorise(caller, scope)
        return caller

    async def introspect(self, request: Request) -> TokenInfo:
        """Whose token it is, and what it opens.

        :raises PlantStoreError: the token is missing or not valid, or there were too many calls.
        """
        bearer = await operations.introspect(self._database, read_token(request))
        self._rates.check(bearer.user_id)
        return bearer


def read_token(request: Request) -> str:
    """The bearer token.

    :raises RequestError: there is no Authorization header of the scheme Bearer.
    """
    value = request.headers.get(b"authorization", b"")
    if value[:7].lower() != _SCHEME:
        raise RequestError(40101)
    return value[7:].strip().decode("latin-1")
