"""The persistence port. Every method is one transaction, and has the store first.

Two adapters of one kind each: a ``Database`` serves requests, an ``Administration`` does what the
command line does. Errors are ``DatabaseUnavailableError`` (nothing was written),
``OutcomeUnknownError`` and ``OverloadedError``; all else is a value.
"""

from collections.abc import Sequence
from typing import Protocol

from plantstore.model import (
    Bearer,
    Caller,
    Event,
    IdempotencyKey,
    IssuedToken,
    Member,
    NewPlant,
    Outcome,
    Page,
    PlantQuery,
    Role,
    Store,
    Token,
    TokenRequest,
    User,
)


class Snapshot(Protocol):
    """One store's plants as they were at one moment, for a list too long for one page."""

    revision: int

    async def read_page(self, query: PlantQuery, max_count: int) -> Page:
        """As ``Database.read_page``, at the snapshot's revision."""

    async def find_last_id(self, query: PlantQuery) -> int | None:
        """Id of the query's last plant where more follow its limit, else None."""

    async def close(self) -> None:
        """Give the snapshot up. Safe to call twice."""


class Database(Protocol):
    """What the service needs while it serves."""

    async def find_caller(
        self, store_id: int, token_hash: bytes, store_name: str | None
    ) -> Caller | None:
        """Who calls with the token of this store, and about which store; None for no such token.

        ``store_name`` None means the token's own store. An expired token is still found, a
        revoked one is not. A token not for all stores has no role in another store than its own.
        """

    async def find_bearer(self, store_id: int, token_hash: bytes) -> Bearer | None:
        """Who holds the token of this store, and what it opens; None for no such token.

        An expired token is still found, a revoked one is not.
        """

    async def read_page(self, store_id: int, query: PlantQuery, max_count: int) -> Page:
        """At most ``max_count`` plants, or the query's limit where that is lower."""

    async def open_snapshot(self, store_id: int) -> Snapshot:
        """A snapshot of the store as it is now; OverloadedError past the bound."""

    async def create_plant(
        self, store_id: int, caller: Caller, plant: NewPlant, key: IdempotencyKey | None
    ) -> Outcome:
        """Store the plant, its event and the key, durably.

        CREATED, ID_TAKEN, ALREADY_STORED, NO_SUCH_STORE, or KEY_REUSED where the key came with
        another body within 24 h; with the same body, the outcome that it had then.
        """

    async def delete_plant(self, store_id: int, caller: Caller, plant_id: int) -> Outcome:
        """Remove the plant and store the event, durably: DELETED, NO_SUCH_PLANT, NO_SUCH_STORE."""

    async def check(self) -> None:
        """Return where the database can be read and written to, as far as is known; else raise."""

    async def wait_until_broken(self) -> Exception:
        """Wait for a fault after which the process must not go on, and give it."""

    async def close(self) -> None:
        """Finish the writes in hand and let the database go."""


class Administration(Protocol):
    """What the command line needs. Faults of the person's are ``SetupError``, saying what to do."""

    def create_store(self, name: str) -> Store:
        """Make a store without plants or members."""

    def list_stores(self) -> Sequence[Store]:
        """All stores, by name."""

    def delete_store(self, name: str) -> None:
        """Remove a store with its plants, events, members and tokens."""

    def create_user(self, subject: str) -> User:
        """Make a user who is no member of any store yet."""

    def list_users(self) -> Sequence[User]:
        """All users, by subject."""

    def add_member(self, store: str, subject: str, role: Role) -> None:
        """Give a user a role in a store, or another one than before."""

    def remove_member(self, store: str, subject: str) -> None:
        """Take a user's role in a store; tokens of the user no longer open it."""

    def list_members(self, store: str) -> Sequence[Member]:
        """The store's members, by subject."""

    def create_token(self, request: TokenRequest) -> IssuedToken:
        """Make a token, and what is missing for it."""

    def list_tokens(self, store: str | None) -> Sequence[Token]:
        """The tokens made for a store, or all; the oldest first."""

    def revoke_token(self, token: str) -> Token:
        """Refuse a token from now on, given its id or itself."""

    def list_events(self, store: str) -> Sequence[Event]:
        """All that happened to the store's plants, by revision."""

    def check(self) -> Sequence[str]:
        """Sentences on what was looked at and found good."""

    def close(self) -> None:
        """Let the database go."""
