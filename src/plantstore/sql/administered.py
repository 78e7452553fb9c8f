"""What the command line learns of stores, users and tokens beyond what serving needs.

Times are Unix times in milliseconds, as in ``model.py``.
"""

from enum import StrEnum

from msgspec import Struct

from plantstore.model import Role, Scope, Store

SOON_MS = 14 * 24 * 3600 * 1000  # before its end a token is said to expire soon


class StoreFacts(Struct, frozen=True):
    """A store with its members, the tokens made for it that are valid now, and its size.

    ``bytes`` is the data of its plants and events, without indexes and free space; ``changed_at``
    is the time of its last event, None if it has none.
    """

    store: Store
    members: int
    tokens: int
    bytes: int
    changed_at: int | None


class Membership(Struct, frozen=True):
    """A user's role in one of the user's stores, which has so many ``owners``."""

    store: str
    role: Role
    owners: int

    @property
    def is_last_owner(self) -> bool:
        """Whether the store has no owner without this user."""
        return self.role is Role.OWNER and self.owners == 1


class TokenState(StrEnum):
    """Whether a token is valid; EXPIRING is valid for some days more."""

    ACTIVE = "active"
    EXPIRING = "expiring"
    EXPIRED = "expired"
    REVOKED = "revoked"

    @property
    def is_valid(self) -> bool:
        """Whether requests with the token are accepted."""
        return self in {TokenState.ACTIVE, TokenState.EXPIRING}


class Token(Struct, frozen=True):
    """What is stored of a token: everything but the secret. ``token_id`` identifies it.

    ``permissions`` is what it allows as long as it is valid: what both its scopes and its user's
    roles do, in any of the stores that it opens. ``last_used_at`` is None for never; the last use
    may have been up to two minutes later. ``state`` is of the time when it was read.
    """

    token_id: str
    store: str
    subject: str
    label: str
    scopes: frozenset[Scope]
    permissions: frozenset[Scope]
    all_stores: bool
    created_at: int
    expires_at: int | None
    revoked_at: int | None
    last_used_at: int | None
    state: TokenState


class IssuedToken(Struct, frozen=True):
    """A new token, whose secret is never shown again, and sentences on what was created."""

    secret: str
    token: Token
    made: tuple[str, ...]


class Rotation(Struct, frozen=True):
    """How to replace a token: the old one is valid for ``grace`` milliseconds more at most.

    The new one expires at ``expires_at``; without ``is_expiry_given`` it is valid as long as the
    old one was.
    """

    grace: int
    expires_at: int | None = None
    is_expiry_given: bool = False


class RotatedToken(Struct, frozen=True):
    """A new token, and the old one as it is now."""

    issued: IssuedToken
    old: Token


def find_state(expires_at: int | None, revoked_at: int | None, at: int) -> TokenState:
    """The state at a time."""
    if revoked_at is not None:
        return TokenState.REVOKED
    if expires_at is None or expires_at > at + SOON_MS:
        return TokenState.ACTIVE
    return TokenState.EXPIRING if expires_at > at else TokenState.EXPIRED
