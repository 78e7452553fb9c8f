"""The persistence port: what serving requests needs. Every method is one transaction.

The store's id is the first argument. Methods raise ``DatabaseUnavailableError`` (nothing was
written), ``OutcomeUnknownError`` and ``OverloadedError``; any other result is a value. The command
line uses ``sql/session.py`` instead.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from plantstore.core.model import Caller, NewPlant, Page, PlantQuery
from plantstore.core.operations import Atomic, Write, Written
from plantstore.core.write_queue import WriteQueue

Row = Sequence[Any]


class Snapshot(Protocol):
    """One store's plants as they were at one moment, for a list too long for one page."""

    revision: int

    async def read_page(self, query: PlantQuery, max_count: int) -> Page:
        """As ``Database.read_page``, at the snapshot's revision."""

    async def find_last_id(self, query: PlantQuery) -> int | None:
        """The id of the query's last plant if its limit omits plants, else None."""

    def watch(self, abort: Callable[[], object]) -> None:
        """Call ``abort`` if the database ends the snapshot before it is closed."""

    async def close(self) -> None:
        """Release the snapshot. Safe to call twice."""


class Database(Protocol):
    """A database for serving."""

    writes: WriteQueue
    long_page: int  # plants; among several users, longer pages are read one by one

    async def find_caller(
        self, store_id: int, token_hash: bytes, store_name: str | None
    ) -> Caller | None:
        """The caller who has this token; None if the store has no such token.

        ``store_name`` None means the token's own store. An expired token is still found, a
        revoked one is not. Only a token for all stores has a role in stores other than its own.
        """

    async def find_plant(self, store_id: int, plant_id: int) -> NewPlant | None:
        """The plant with this id, or None."""

    async def read_page(
        self, store_id: int, query: PlantQuery, max_count: int, *, is_shared: bool = False
    ) -> Page:
        """At most ``max_count`` plants, or the query's limit if that is lower.

        None of them if their texts are long: a snapshot reads such a list page by page. If it
        ``is_shared``, other users must not wait for it.
        """

    async def open_snapshot(self, store_id: int) -> Snapshot:
        """A snapshot of the store as it is now. The caller bounds their number."""

    def write(self, write: Write | Atomic) -> "asyncio.Future[Written]":
        """Execute the write, and store its event and its key with it, durably.

        Returns its outcome, and the store's revision after it. The outcome is TOKEN_INVALID,
        FORBIDDEN or NO_SUCH_STORE if the caller may no longer do this. Waiting writes may share a
        transaction; one that is cancelled before its transaction begins is not executed.
        """

    async def read(self, name: str, *arguments: object) -> Sequence[Row]:
        """The rows of a feature's named query, which only reads, in milliseconds at most."""

    async def find_callers_again(self, callers: Sequence[Caller]) -> Sequence[Caller | None]:
        """The current state of each caller, in the same order.

        None if the token is revoked, or its user is no longer a member of the caller's store. An
        expired token is still found.
        """

    async def write_token_uses(self) -> None:
        """Write the last uses of tokens that changed since the last call.

        No store's row or revision changes. There is no commit if there is nothing to write.
        """

    async def check(self) -> None:
        """Return if the database could be read and written within the last second.

        The check is cheap, and ends within about a second even if the database does not respond.

        :raises DatabaseUnavailableError: it could not. The ``reason`` is safe to publish: it has no
            secret and no path.
        """

    def gauges(self) -> Mapping[tuple[str, ...], float]:
        """Current values of metrics, by name and label values, without a query."""

    async def wait_until_broken(self) -> Exception:
        """Wait for an error after which the process must stop, and return it."""

    async def close(self) -> None:
        """Finish the writes in flight and close the database."""
