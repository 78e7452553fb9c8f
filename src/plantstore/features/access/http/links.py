"""Links to sign in with: an owner creates a link for a member; its code gives a token, once.

Invariant: a code is never in a URL that reaches the service: it is in the page's fragment.
"""

from collections.abc import Sequence
from typing import Annotated

from msgspec import Meta, Struct

from plantstore.core.clock import now, write_time
from plantstore.core.database import Database
from plantstore.core.errors import NoSuchLinkError, RequestError
from plantstore.core.fair_queue import ROUTED
from plantstore.core.model import Caller, Scope
from plantstore.core.pools import network_of
from plantstore.core.tokens import read_code
from plantstore.features.access import links
from plantstore.features.access.http import tokens
from plantstore.features.access.http.bodies import Text, read_body
from plantstore.features.access.http.owners import Outcome, Owners
from plantstore.features.access.links import Link, hash_range
from plantstore.http.app import App
from plantstore.http.responses import NO_STORE, Record, json_response, to_record
from plantstore.server.messages import Request, Response
from plantstore.sql.scopes import to_text
from plantstore.sql.session import Session


class LinkCode(Struct, frozen=True):
    """The body that redeems a code; with ``dry_run`` the code stays valid."""

    code: Text
    dry_run: Annotated[bool, Meta(description="true or false")] = False


def create_link(days: int, session: Session, manager: Caller, body: tokens.TokenRequest) -> Outcome:
    grant = tokens.read_grant(session, manager, body, days)
    link = links.create_link(session, manager.store_id, grant, manager)
    fields = {"member_id": link.user.user_id, "scopes": to_text(link.grant.scopes or ())}
    return 201, describe(link), {"link_id": link.link_id, **fields}


async def read(database: Database, store_id: int, link_id: str | None = None) -> Sequence[Link]:
    """The links of a store that are valid now, or one of them, sorted by expiry."""
    rows = await database.read("find_links", store_id, store_id, *hash_range(link_id), now())
    found = links.read_links(rows)
    if link_id is not None and not found:
        raise NoSuchLinkError(link_id=link_id)
    return found


def revoke_link(session: Session, manager: Caller, link_id: str) -> Outcome:
    link = links.revoke_link(session, link_id, manager.store_id)
    return 204, None, {"link_id": link_id, "member_id": link.user.user_id}


def describe(link: Link) -> Record:
    return to_record(
        id=link.link_id,
        store=link.store,
        user=link.user.subject,
        label=link.grant.label,
        scopes=[scope for scope in Scope if scope in (link.grant.scopes or ())],
        code_expires_at=write_time(link.expires_at),
        expires_at=link.grant.expires_at and write_time(link.grant.expires_at),
        code=link.code or None,
    )


async def redeem_code(app: App, owners: Owners, request: Request) -> Response:
    """Redeem a code for a token, for anybody who has a code."""
    if request.holder is None:
        network = network_of(app.client_address(request))
        app.pools.requests.acquire(network)
        request.turns_of = request.holder = network
        await app.turns.take(network, ROUTED)
    body = await read_body(app, request, LinkCode)
    key = read_code(body.code)
    async with app.lanes.of(request, is_long=True):  # anybody can name any store
        if key is None or not await app.database.read("find_code", *key, now()):
            raise RequestError(40406)

    def work(session: Session) -> Response:
        if body.dry_run:
            return json_response(200, describe(links.find_link(session, body.code)), NO_STORE)
        with session.transaction():
            issued = links.redeem_code(session, body.code)
            made = issued.token
            owners.audit(session, request, "link redeem", made, tokens.describe_made(made))
        user = {"store_id": made.store_id, "user_id": made.user_id}
        owners.log(request, {**user, **tokens.describe_made(made)})
        return json_response(201, tokens.show_token(issued, store=made.store), NO_STORE)

    return await app.administer(key[0], work)  # a share of the store, not of each network
