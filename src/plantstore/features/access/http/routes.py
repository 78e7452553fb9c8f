"""The routes of this room: below the address of any store, but for redeeming codes."""

from functools import partial

from plantstore.core.pools import Pool
from plantstore.features.access.http.jobs import MAX_JOBS, JobQueue
from plantstore.features.access.http.links import Redemption, create_link, list_links, revoke_link
from plantstore.features.access.http.members import (
    MemberRole,
    list_members,
    remove_member,
    set_member,
)
from plantstore.features.access.http.owners import Owners
from plantstore.features.access.http.tokens import (
    TokenRequest,
    create_token,
    list_tokens,
    revoke_token,
)
from plantstore.http.app import App


def add_access(app: App) -> None:
    """Add the routes, and the queue of their jobs."""
    routes, settings = app.routes, app.settings
    places = app.pools.add_pool(Pool("administration", MAX_JOBS))
    jobs = JobQueue(app.open_session, settings.write_timeout, places)
    app.at_close.append(jobs.close)
    owners = Owners(jobs, app.authentication, app.client_address)
    redemption = Redemption(jobs, owners, app)
    create, link = (partial(make, settings.token_expiry) for make in (create_token, create_link))
    of_member = {
        "PUT": owners.changing(set_member, MemberRole, values=1),
        "DELETE": owners.changing(remove_member, values=1),
    }
    routes.add_of_store("/members", owners.reading(list_members))
    routes.add_of_store("/members/{user}", of_member)
    routes.add_of_store(
        "/tokens", owners.reading(list_tokens) | {"POST": owners.changing(create, TokenRequest)}
    )
    routes.add_of_store("/tokens/{id}", {"DELETE": owners.changing(revoke_token, values=1)})
    routes.add_of_store(
        "/links", owners.reading(list_links) | {"POST": owners.changing(link, TokenRequest)}
    )
    routes.add_of_store("/links/{id}", {"DELETE": owners.changing(revoke_link, values=1)})
    routes.add("/links/redeem", {"POST": redemption.redeem_code})
