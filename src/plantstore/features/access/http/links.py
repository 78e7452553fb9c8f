"""Links to sign in with: an owner makes one for a member, and its code gives a token, once.

Invariant: guessing costs no query beyond the rate of invalid tokens for each address, and a code is
never in a URL that reaches the service: pages have it in the fragment.
"""

from contextlib import suppress
from typing import Annotated

from msgspec import Meta, Struct

from plantstore.core.clock import write_time
from plantstore.core.errors import InvalidCodeError
from plantstore.core.model import Caller, Scope
from plantstore.core.pools import network_of
from plantstore.core.settings import read_rate
from plantstore.core.tokens import CODE_PREFIX, is_well_formed
from plantstore.features.access import links
from plantstore.features.access.http.bodies import Text, read_body
from plantstore.features.access.http.jobs import Job
from plantstore.features.access.http.owners import (
    Outcome,
    Owners,
    Record,
    to_record,
    write_optional_time,
)
from plantstore.features.access.http.tokens import (
    TokenRequest,
    describe_made,
    describe_token,
    read_grant,
)
from plantstore.features.access.links import Link
from plantstore.http.app import App
from plantstore.http.limits.fair_queue import ROUTED
from plantstore.http.limits.rates import Rates, require
from plantstore.http.responses import NO_CONTENT, NO_STORE, json_response
from plantstore.server.messages import Request, Response
from plantstore.sql.scopes import to_text
from plantstore.sql.session import Session


class LinkCode(Struct, frozen=True):
    """The body that exchanges a code; with ``dry_run`` the code stays good."""

    code: Text
    dry_run: Annotated[bool, Meta(description="true or false")] = False


def create_link(days: int, session: Session, manager: Caller, body: TokenRequest) -> Outcome:
    grant = read_grant(session, manager, body, days)
    link = links.create_link(session, manager.store_id, grant, manager)
    fields = {"member_id": link.user.user_id, "scopes": to_text(link.grant.scopes or ())}
    return json_response(201, _describe(link), NO_STORE), {"link_id": link.link_id, **fields}


def list_links(session: Session, store_id: int) -> list[Record]:
    return [_describe(link) for link in links.list_links(session, store_id)]


def revoke_link(session: Session, manager: Caller, link_id: str) -> Outcome:
    link = links.revoke_link(session, link_id, manager.store_id)
    return NO_CONTENT, {"link_id": link_id, "member_id": link.user.user_id}


def _describe(link: Link) -> Record:
    return to_record(
        id=link.link_id,
        store=link.store,
        user=link.user.subject,
        label=link.grant.label,
        scopes=[scope for scope in Scope if scope in (link.grant.scopes or ())],
        code_expires_at=write_time(link.expires_at),
        expires_at=write_optional_time(link.grant.expires_at),
        code=link.code or None,
    )


class Redemption:
    """Redeems codes for tokens, for anybody who has one."""

    def __init__(self, owners: Owners, app: App) -> None:
        self._owners = owners
        self._client_address = app.client_address
        self._turns, self._requests = app.turns, app.pools.requests
        self._guesses = Rates(*read_rate(app.settings.invalid_token_rate))

    async def redeem_code(self, request: Request) -> Response:
        network = network_of(self._client_address(request))
        self._requests.take(network)
        request.holder = network
        await self._turns.take(network, ROUTED)
        require(self._guesses.check(network))
        body = await read_body(request, LinkCode)

        def work(session: Session, job: Job[Response]) -> Response:
            if body.dry_run:
                return json_response(200, _describe(links.find_link(session, body.code)), NO_STORE)
            with job.transaction(session):
                issued = links.redeem_code(session, body.code)
                made = issued.token
                self._owners.audit(session, request, "link redeem", made, describe_made(made))
            user = {"store_id": made.store_id, "user_id": made.user_id}
            self._owners.log(request, {**user, **describe_made(made)})
            return json_response(
                201, describe_token(made, token=issued.secret, store=made.store), NO_STORE
            )

        with suppress(InvalidCodeError):
            if is_well_formed(body.code, CODE_PREFIX):  # else it is refused without a query
                return await self._owners.jobs.run(network, work)
        require(self._guesses.take(network))
        raise InvalidCodeError
