"""The routes of this room: below the address of any store, but for the exchange of codes."""

from plantstore.http.access.attempts import Attempts
from plantstore.http.access.changes import Changes
from plantstore.http.access.links import LinkOperations
from plantstore.http.access.members import MemberOperations
from plantstore.http.access.tokens import TokenOperations
from plantstore.http.authentication import Authentication
from plantstore.http.limits.client_address import ClientAddress
from plantstore.http.routes import Routes, reads
from plantstore.settings import Settings
from plantstore.sql.session import OpenSession


def add_access(
    routes: Routes, authentication: Authentication, settings: Settings, open_session: OpenSession
) -> None:
    """Add the routes to those of an application."""
    attempts = Attempts(open_session, settings.write_timeout)
    client_address = ClientAddress(settings.trusted_proxies)
    changes = Changes(attempts, authentication, client_address)
    members = MemberOperations(changes)
    tokens = TokenOperations(changes, settings.token_expiry)
    links = LinkOperations(changes, client_address, settings)
    routes.add_of_store("/members", reads(members.list_members))
    of_member = {"PUT": members.set_member, "DELETE": members.remove_member}
    routes.add_of_store("/members/{user}", of_member)
    routes.add_of_store("/tokens", reads(tokens.list_tokens) | {"POST": tokens.create_token})
    routes.add_of_store("/tokens/{id}", {"DELETE": tokens.revoke_token})
    routes.add_of_store("/links", {"POST": links.create_link})
    routes.add("/link", {"POST": links.exchange_code})
