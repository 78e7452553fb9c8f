"""The routes of this room: below the address of any store, but for the exchange of codes."""

from collections.abc import Mapping

from plantstore.http.access.attempts import Attempts
from plantstore.http.access.changes import Changes
from plantstore.http.access.links import LinkOperations
from plantstore.http.access.members import MemberOperations
from plantstore.http.access.tokens import TokenOperations
from plantstore.http.authentication import Authentication
from plantstore.http.client_address import ClientAddress
from plantstore.http.routes import Methods, Route, reads
from plantstore.settings import Settings
from plantstore.sql.session import OpenSession


class AccessRoutes:
    """The routes of one application."""

    def __init__(
        self, authentication: Authentication, settings: Settings, open_session: OpenSession
    ) -> None:
        attempts = Attempts(open_session, settings.write_timeout)
        client_address = ClientAddress(settings.trusted_proxies)
        changes = Changes(attempts, authentication, client_address)
        members = MemberOperations(changes)
        self._members: Methods = reads(members.list_members)
        self._member: Methods = {"PUT": members.set_member, "DELETE": members.remove_member}
        tokens = TokenOperations(changes, settings.token_expiry)
        self._tokens: Methods = reads(tokens.list_tokens) | {"POST": tokens.create_token}
        self._token: Methods = {"DELETE": tokens.revoke_token}
        links = LinkOperations(changes, settings)
        self._links: Methods = {"POST": links.create_link}
        self.fixed: Mapping[str, Methods] = {"/link": {"POST": links.exchange_code}}

    def find(self, parts: list[str]) -> Route | None:
        """The route of what follows a store's address."""
        match parts:
            case ["links"]:
                return self._links, (), "/links"
            case ["members"]:
                return self._members, (), "/members"
            case ["members", subject] if subject:
                return self._member, (subject,), "/members/{user}"
            case ["tokens"]:
                return self._tokens, (), "/tokens"
            case ["tokens", token_id] if token_id:
                return self._token, (token_id,), "/tokens/{id}"
        return None
