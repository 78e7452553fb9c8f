"""The routes of this room: below the address of any store, but for the exchange of codes."""

from functools import partial

from plantstore.http.access.jobs import JobQueue
from plantstore.http.access.links import Exchange, create_link
from plantstore.http.access.members import MemberRole, list_members, remove_member, set_member
from plantstore.http.access.owners import Owners
from plantstore.http.access.tokens import NewToken, create_token, list_tokens, revoke_token
from plantstore.http.authentication import Authentication
from plantstore.http.limits.client_address import ClientAddress
from plantstore.http.routes import Routes
from plantstore.settings import Settings
from plantstore.sql.session import OpenSession


def add_access(
    routes: Routes, authentication: Authentication, settings: Settings, open_session: OpenSession
) -> JobQueue:
    """Add the routes to those of an application; the queue that it closes at its end."""
    jobs = JobQueue(open_session, settings.write_timeout)
    client_address = ClientAddress(settings.trusted_proxies)
    owners = Owners(jobs, authentication, client_address)
    exchange = Exchange(jobs, owners, client_address, settings)
    create, link = (partial(make, settings.token_expiry) for make in (create_token, create_link))
    of_member = {
        "PUT": owners.changing(set_member, MemberRole, values=1),
        "DELETE": owners.changing(remove_member, values=1),
    }
    routes.add_of_store("/members", owners.reading(list_members))
    routes.add_of_store("/members/{user}", of_member)
    routes.add_of_store(
        "/tokens", owners.reading(list_tokens) | {"POST": owners.changing(create, NewToken)}
    )
    routes.add_of_store("/tokens/{id}", {"DELETE": owners.changing(revoke_token, values=1)})
    routes.add_of_store("/links", {"POST": owners.changing(link, NewToken)})
    routes.add("/link", {"POST": exchange.exchange_code})
    return jobs
