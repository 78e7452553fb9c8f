"""The routes of this room: below the address of any store, but for redeeming codes."""

from functools import partial

from plantstore.core.pools import Pool
from plantstore.features.access.http import links, members, tokens
from plantstore.features.access.http.jobs import MAX_JOBS, JobQueue
from plantstore.features.access.http.owners import Owners
from plantstore.http.app import App


def add_access(app: App) -> None:
    """Add the routes, and the queue of their jobs."""
    days = app.settings.token_expiry
    places = app.pools.add_pool(Pool("administration", MAX_JOBS))
    jobs = JobQueue(app.open_session, app.settings.write_timeout, places)
    app.at_close.append(jobs.close)
    owners = Owners(jobs, app.authentication, app.client_address)
    reading, changing, add = owners.reading, owners.changing, app.routes.add_of_store
    add("/members", reading(members.list_members))
    add("/members/{user}", reading(members.read_member, values=1))
    add("/members/{user}", {"PUT": changing(members.set_member, members.MemberRole, values=1)})
    add("/members/{user}", {"DELETE": changing(members.remove_member, values=1)})
    add("/tokens", reading(tokens.list_tokens))
    create_token = partial(tokens.create_token, days)
    add("/tokens", {"POST": changing(create_token, tokens.TokenRequest)})
    add("/tokens/{id}", reading(tokens.read_token, values=1))
    add("/tokens/{id}", {"DELETE": changing(tokens.revoke_token, values=1)})
    add("/links", reading(links.list_links))
    create_link = partial(links.create_link, days)
    add("/links", {"POST": changing(create_link, tokens.TokenRequest)})
    add("/links/{id}", reading(links.read_link, values=1))
    add("/links/{id}", {"DELETE": changing(links.revoke_link, values=1)})
    redemption = links.Redemption(jobs, owners, app)
    app.routes.add("/links/redeem", {"POST": redemption.redeem_code})
