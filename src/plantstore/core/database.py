"""The persistence port: what serving needs. Every method is one transaction.

The store's id comes first. Errors are ``DatabaseUnavailableError`` (nothing was
written), ``OutcomeUnknownError`` and ``OverloadedError``; all else is a value. The command line
uses ``sql/session.py``.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Protocol

from plantstore.core.clock import DAY_MS
from plantstore.core.model import Caller, NewPlant, Page, PlantQuery, TokenInfo
from plantstore.core.operations import Atomic, Write, Written
from plantstore.core.pools import WriteQueue

KEY_LIFETIME_MS = DAY_MS

CommitObserver = Callable[[int, float], None]  # gets a commit's number of writes, and its seconds
Row = Sequence[Any]


class Snapshot(Protocol):
    """One store's plants as they were at one moment, for a list too long for one page."""

    revision: int

    async def read_page(self, query: PlantQuery, max_count: int) -> Page:
        """As ``Database.read_page``, at the snapshot's revision."""

    async def find_last_id(self, query: PlantQuery) -> int | None:
        """Id of the query's last plant if more follow its limit, else None."""

    def watch(self, abort: Callable[[], object]) -> None:
        """Call ``abort`` if the database ends the snapshot before it is closed."""

    async def close(self) -> None:
        """Release the snapshot. Safe to call twice."""


class Database(Protocol):
    """What serving needs of a database. It passes each commit to the ``commit_observers``."""

    commit_observers: list[CommitObserver]
    writes: WriteQueue

    async def find_caller(
        self, store_id: int, token_hash: bytes, store_name: str | None
    ) -> Caller | None:
        """The caller with the token of this store; None if there is no such token.

        ``store_name`` None means the token's own store. An expired token is still found, a
        revoked one is not. Only a token for all stores has a role in stores other than its own.
        """

    async def find_token_info(self, store_id: int, token_hash: bytes) -> TokenInfo | None:
        """The user of this store's token, and the stores that it opens; None without such a token.

        An expired token is still found, a revoked one is not.
        """

    async def find_plant(self, store_id: int, plant_id: int) -> NewPlant | None:
        """The plant with this id, or None."""

    async def read_page(self, store_id: int, query: PlantQuery, max_count: int) -> Page:
        """At most ``max_count`` plants, or the query's limit if that is lower."""

    async def open_snapshot(self, store_id: int) -> Snapshot:
        """A snapshot of the store as it is now; OverloadedError beyond the limit."""

    def write(self, write: Write | Atomic) -> Awaitable[Written]:
        """Execute the write, and store its event and its key with it, durably.

        Its outcome, and the store's revision after it. If the caller may no longer do this:
        TOKEN_INVALID, FORBIDDEN, NO_SUCH_STORE. Writes that wait may be one transaction.
        """

    async def read(self, name: str, *arguments: object) -> Sequence[Row]:
        """The rows of a named query that only reads, of a feature; in milliseconds at most."""

    async def find_callers_again(self, callers: Sequence[Caller]) -> Sequence[Caller | None]:
        """The current state of each caller, in the same order.

        None where the token is revoked, or its user is not a member of the caller's store any
        more. An expired token is still found.
        """

    async def write_token_uses(self) -> None:
        """Write the last uses of tokens that changed since the last call.

        It changes neither a store's row nor its revision, and does not commit if nothing changed.
        """

    async def check(self) -> None:
        """Return if the database could be read and written within the last second.

        Cheap, and answers within about a second, even if the database does not.

        :raises DatabaseUnavailableError: it cannot. ``reason`` is a sentence for anybody: it has
            no secret and no path.
        """

    def gauges(self) -> Mapping[tuple[str, ...], float]:
        """Current values, by the metric's name and its labels' values; without a query."""

    async def wait_until_broken(self) -> Exception:
        """Wait for an error after which the process must stop, and return it."""

    async def close(self) -> None:
        """Finish the writes in flight and close the database."""
