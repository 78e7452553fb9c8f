"""The port of administration: named queries, alone or in a transaction."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from plantstore.core.database import Row
from plantstore.core.operations import Write, Written


class Queries(Protocol):
    """Reads named queries."""

    @property
    def location(self) -> str:
        """Where the database is: a text that is the same for the same database."""

    def query(self, name: str, *arguments: object) -> Sequence[Row]:
        """All rows of a named query."""


class Session(Queries, Protocol):
    """A connection for administration; it raises ``SetupError``, which says what to do."""

    before_commit: Callable[[], object]  # an error that it raises prevents the commit

    def transaction(self) -> AbstractContextManager[None]:
        """Commit all queries of the block or none; transactions run one at a time."""

    def snapshot(self) -> AbstractContextManager[None]:
        """All queries of the block see the database as it was at the first query."""

    def write_rows(self, name: str, rows: Sequence[Row]) -> None:
        """Execute a named query that writes rows, once for each of these."""

    def write(self, writes: Sequence[Write], *, is_atomic: bool) -> Sequence[Written]:
        """Execute writes to one store in a transaction; if atomic, all or none is done."""

    def drop_old_pages(self) -> bool:
        """Delete old versions of changed rows; returns False if a reader still needs them."""

    def revalidate(self) -> None:
        """Return if a kept session is still on its database, with the schema that it was opened on.

        :raises SetupError: the connection is lost, the schema has changed, or it is another file.
        """

    def abort(self) -> None:
        """Make work in progress fail soon. Any thread may call this at any time."""

    def close(self) -> None:
        """Close the connection."""


OpenSession = Callable[[], Session]
