"""Links to sign in with: an owner makes one for a member, and its code gives a token, once.

Invariant: guessing costs no query beyond the rate of invalid tokens for each address, and a code is
never in a URL that reaches the service: pages have it in the fragment.
"""

from msgspec import Struct
from msgspec.structs import asdict

from plantstore.clock import write_time
from plantstore.errors import InvalidCodeError
from plantstore.http.access.bodies import read_body
from plantstore.http.access.changes import Changes, Fields
from plantstore.http.access.tokens import (
    NewToken,
    TokenRecord,
    describe_made,
    describe_token,
    read_wanted,
)
from plantstore.http.limits.client_address import ClientAddress
from plantstore.http.limits.invalid_tokens import network_of
from plantstore.http.limits.rates import Rates, require
from plantstore.http.responses import NO_STORE, json_response
from plantstore.server.messages import Request, Response
from plantstore.settings import Settings, read_rate
from plantstore.sql import access, links
from plantstore.sql.access import Manager
from plantstore.sql.session import Session
from plantstore.tokens import CODE_PREFIX, is_well_formed

_ANYBODY = "anybody"  # who exchanges a code is known only afterwards


class LinkCode(Struct, frozen=True):
    """The body that exchanges a code."""

    code: str


class Link(Struct, frozen=True):
    """A new link; an address that signs in is that of a page with ``#code=CODE``."""

    user: str
    code: str
    code_expires_at: str


class SignedIn(TokenRecord, frozen=True, kw_only=True, omit_defaults=True):
    """A new token, with its store."""

    store: str


class LinkOperations:
    """The operations on links."""

    def __init__(self, changes: Changes, client_address: ClientAddress, settings: Settings) -> None:
        self._changes = changes
        self._client_address = client_address
        self._days = settings.token_expiry
        self._guesses = Rates(*read_rate(settings.invalid_token_rate))

    async def create_link(self, request: Request, store_name: str | None = None) -> Response:
        """Make a link for a member; it gives the token that the body asks for."""
        caller = await self._changes.admit(request, store_name)
        wanted = read_wanted(await read_body(request, NewToken), self._days)

        def change(session: Session, manager: Manager) -> tuple[Link, Fields]:
            grant = access.make_grant(session, caller.store_id, wanted, manager)
            made = links.make_link(session, caller.store_id, grant)
            fields = {"link_for": grant.user.user_id, "scopes": ",".join(sorted(grant.scopes))}
            return Link(made.subject, made.code, write_time(made.expires_at)), fields

        link = await self._changes.make(request, caller, change)
        return json_response(201, link, NO_STORE)

    async def exchange_code(self, request: Request) -> Response:
        """Exchange a code for a new token."""
        network = network_of(self._client_address(request))
        require(self._guesses.check(network))
        code = (await read_body(request, LinkCode)).code
        try:
            signed_in = await self._exchange(request, code)
        except InvalidCodeError:
            require(self._guesses.take(network))
            raise
        return json_response(201, signed_in, NO_STORE)

    async def _exchange(self, request: Request, code: str) -> SignedIn:
        if not is_well_formed(code, CODE_PREFIX):  # it is refused without a query
            raise InvalidCodeError

        def change(session: Session) -> tuple[SignedIn, Fields]:
            given = links.exchange_code(session, code)
            record = describe_token(given.token, given.secret)
            who = {"store_id": given.store_id, "user_id": given.user.user_id}
            signed_in = SignedIn(**asdict(record), store=given.store)
            return signed_in, {**who, **describe_made(given.token)}

        return await self._changes.commit(request, _ANYBODY, change)
