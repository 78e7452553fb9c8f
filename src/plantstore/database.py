"""The persistence port: what serving needs. Every method is one transaction, the store first.

Errors are ``DatabaseUnavailableError`` (nothing was written), ``OutcomeUnknownError`` and
``OverloadedError``; all else is a value. The command line has ``sql/administration.py``.
"""

from typing import Protocol

from plantstore.model import (
    Caller,
    IdempotencyKey,
    NewPlant,
    Outcome,
    Page,
    PlantQuery,
    TokenInfo,
)


class Snapshot(Protocol):
    """One store's plants as they were at one moment, for a list too long for one page.

    ``total`` is how many the store holds.
    """

    revision: int
    total: int

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

    async def find_token_info(self, store_id: int, token_hash: bytes) -> TokenInfo | None:
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

        CREATED, ID_TAKEN, ALREADY_STORED, STORE_FULL, or KEY_REUSED where the key came with
        another body within 24 h; with the same body, the outcome that it had then. Where the
        caller may not do this any more: TOKEN_INVALID, FORBIDDEN, NO_SUCH_STORE.
        """

    async def delete_plant(self, store_id: int, caller: Caller, plant_id: int) -> Outcome:
        """Remove the plant and store the event, durably: DELETED, NO_SUCH_PLANT.

        Where the caller may not do this any more: TOKEN_INVALID, FORBIDDEN, NO_SUCH_STORE.
        """

    async def find_oldest_event(self, after_store_id: int) -> tuple[int, int] | None:
        """The next store with events, by its number, and the time of its first event."""

    async def trim_events(self, store_id: int, before: int) -> Outcome:
        """Remove the store's oldest events, some hundred at most, of those before this time.

        TRIMMED, after which there may be more, or NOTHING_TO_TRIM. The store's row says up to which
        revision its events are trimmed.
        """

    async def check(self) -> None:
        """Return where the database can be read and written to, as far as is known; else raise."""

    async def wait_until_broken(self) -> Exception:
        """Wait for a fault after which the process must not go on, and give it."""

    async def close(self) -> None:
        """Finish the writes in hand and let the database go."""
