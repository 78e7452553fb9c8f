"""Links to sign in with: an owner makes one for a member, and its code gives a token, once.

Invariant: guessing costs no query beyond the rate of invalid tokens for each address, and a code is
never in a URL that reaches the service: pages have it in the fragment.
"""

from contextlib import suppress
from typing import Annotated

from msgspec import Meta, Struct

from plantstore.core.clock import write_time
from plantstore.core.errors import InvalidCodeError, NoSuchLinkError
from plantstore.core.model import Scope
from plantstore.core.pools import network_of
from plantstore.core.settings import read_rate
from plantstore.core.tokens import CODE_PREFIX, is_well_formed
from plantstore.features.access import links
from plantstore.features.access.http.bodies import Text, read_body
from plantstore.features.access.http.jobs import Job, JobQueue
from plantstore.features.access.http.owners import Outcome, Owners, pick
from plantstore.features.access.http.tokens import (
    TokenRequest,
    describe_made,
    describe_token,
    read_grant,
    write_optional_time,
)
from plantstore.features.access.links import Link
from plantstore.features.access.owners import Manager
from plantstore.http.app import App
from plantstore.http.limits.rates import Rates, require
from plantstore.http.responses import NO_CONTENT, NO_STORE, json_response
from plantstore.server.messages import Request, Response
from plantstore.sql.scopes import to_text
from plantstore.sql.session import Session


class LinkCode(Struct, frozen=True):
    """The body that exchanges a code; with ``dry_run`` the code stays good."""

    code: Text
    dry_run: Annotated[bool, Meta(description="true or false")] = False


class LinkRecord(Struct, frozen=True, omit_defaults=True):
    """A link that waits; an address that signs in is that of a page with ``#code=CODE``."""

    id: str
    store: str
    user: str
    label: str
    scopes: list[Scope]
    code_expires_at: str
    expires_at: str | None = None
    code: str = ""


def create_link(days: int, session: Session, manager: Manager, body: TokenRequest) -> Outcome:
    grant = read_grant(body, manager, days)
    link = links.create_link(session, manager.store_id, grant, manager)
    fields = {"member_id": link.user.user_id, "scopes": to_text(link.grant.scopes or ())}
    return json_response(201, _describe(link), NO_STORE), {"link_id": link.link_id, **fields}


def list_links(session: Session, store_id: int) -> list[LinkRecord]:
    return [_describe(link) for link in links.list_links(session, store_id)]


def read_link(session: Session, store_id: int, link_id: str) -> LinkRecord:
    return pick(list_links(session, store_id), "id", link_id, NoSuchLinkError(link_id=link_id))


def revoke_link(session: Session, manager: Manager, link_id: str) -> Outcome:
    link = links.revoke_link(session, link_id, manager.store_id)
    return NO_CONTENT, {"link_id": link_id, "member_id": link.user.user_id}


def _describe(link: Link) -> LinkRecord:
    return LinkRecord(
        id=link.link_id,
        store=link.store,
        user=link.user.subject,
        label=link.grant.label,
        scopes=[scope for scope in Scope if scope in (link.grant.scopes or ())],
        code_expires_at=write_time(link.expires_at),
        expires_at=write_optional_time(link.grant.expires_at),
        code=link.code,
    )


class Redemption:
    """Redeems codes for tokens, for anybody who has one."""

    def __init__(self, jobs: JobQueue, owners: Owners, app: App) -> None:
        self._jobs = jobs
        self._owners = owners
        self._client_address = app.client_address
        self._requests = app.pools.requests
        self._guesses = Rates(*read_rate(app.settings.invalid_token_rate))

    async def redeem_code(self, request: Request) -> Response:
        network = network_of(self._client_address(request))
        self._requests.take(network)
        request.holder = network
        require(self._guesses.check(network))
        body = await read_body(request, LinkCode)

        def work(session: Session, job: Job[Response]) -> Response:
            if body.dry_run:
                return json_response(200, _describe(links.find_link(session, body.code)), NO_STORE)
            with job.transaction(session):
                issued = links.redeem_code(session, body.code)
                made = issued.token
                self._owners.audit(session, request, "link redeem", made, describe_made(made))
            who = {"store_id": made.store_id, "user_id": made.user_id}
            self._owners.log(request, {**who, **describe_made(made)})
            return json_response(201, describe_token(made, issued.secret, made.store), NO_STORE)

        with suppress(InvalidCodeError):
            if is_well_formed(body.code, CODE_PREFIX):  # else it is refused without a query
                return await self._jobs.run(network, work)
        require(self._guesses.take(network))
        raise InvalidCodeError
