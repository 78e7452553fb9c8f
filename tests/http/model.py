"""A store with its members and tokens as a plain model: the response to each request."""

from dataclasses import dataclass, field

from plantstore.core.model import IdempotencyKey, NewPlant, Outcome, Precondition, Role, Scope
from tests.contract.store_model import StoreModel

MAX_PLANTS = 5
Scopes = frozenset[Scope]

_STATUSES = {
    Outcome.CREATED: 200,
    Outcome.REPLAYED: 200,
    Outcome.UPDATED: 200,
    Outcome.UNCHANGED: 200,
    Outcome.DELETED: 204,
    Outcome.ID_TAKEN: 40003,
    Outcome.ALREADY_STORED: 40004,
    Outcome.STORE_FULL: 40302,
    Outcome.NO_SUCH_PLANT: 40401,
    Outcome.PRECONDITION_FAILED: 41201,
    Outcome.KEY_REUSED: 42201,
}


@dataclass
class Token:
    """A token for the store; the service made ``secret`` and ``id``."""

    secret: str
    id: str
    user: str
    scopes: Scopes
    is_revoked: bool = False


@dataclass
class Model:
    """The contents of the service. Methods return a status, or an error's number."""

    members: dict[str, Role]
    tokens: list[Token]
    store: StoreModel = field(default_factory=lambda: StoreModel(MAX_PLANTS))
    authors: list[Token] = field(default_factory=list)  # of the store's events

    def refuse(self, token: Token, scope: Scope | None) -> int | None:
        """The error number for a request that needs the scope; None if it is allowed."""
        if token.is_revoked:
            return 40102
        if token.user not in self.members:
            return 40403
        return 40301 if scope is not None and scope not in self.permissions(token) else None

    def permissions(self, token: Token) -> Scopes:
        """The scopes that both the token and its user's role allow."""
        role = self.members.get(token.user)
        return frozenset() if role is None else token.scopes & role.scopes

    def write(
        self,
        token: Token,
        kind: Scope,
        plant: NewPlant,
        precondition: Precondition | None = None,
        key: str | None = None,
    ) -> int:
        refused = self.refuse(token, kind)
        if refused is not None:
            return refused
        fingerprint = repr(plant).encode()
        once = None if key is None else IdempotencyKey(f"{token.user} {key}", fingerprint)
        before = self.store.revision
        outcome = self.store.apply(kind.value, plant, precondition, once)
        self.authors += [token] * (self.store.revision - before)
        return _STATUSES[outcome]

    def set_member(self, token: Token, user: str, role: Role) -> int:
        if refused := self.refuse(token, Scope.MANAGE):
            return refused
        if role is not Role.OWNER and self._is_last_owner(user):
            return 40901
        status = 200 if user in self.members else 201
        self.members[user] = role
        return status

    def remove_member(self, token: Token, user: str) -> int:
        if refused := self.refuse(token, Scope.MANAGE):
            return refused
        if user not in self.members:
            return 40404
        if self._is_last_owner(user):
            return 40901
        del self.members[user]
        return 204

    def grant(self, token: Token, user: str, scopes: Scopes | None) -> tuple[int, Scopes]:
        """The status for making a token or a link, and the scopes that it gets."""
        if refused := self.refuse(token, Scope.MANAGE):
            return refused, frozenset()
        role, own_scopes = self.members.get(user), self.permissions(token)
        if role is None:
            return 40404, frozenset()
        granted = role.default_scopes & own_scopes if scopes is None else scopes
        if not granted or not granted <= own_scopes:
            return 40301, frozenset()
        return (201 if granted <= role.scopes else 40014), granted

    def _is_last_owner(self, user: str) -> bool:
        return [name for name, role in self.members.items() if role is Role.OWNER] == [user]
