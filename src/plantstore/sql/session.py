"""What administration needs of a database: named queries, alone or as a transaction."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from plantstore.core.database import Row


class Queries(Protocol):
    """What reads named queries."""

    def query(self, name: str, *arguments: object) -> Sequence[Row]:
        """All rows of a query of the adapter's ``queries.sql``."""


class Session(Queries, Protocol):
    """One connection for administration; errors are ``SetupError``, and say what to do."""

    before_commit: Callable[[], object]  # an error that it raises prevents the commit

    @property
    def location(self) -> str:
        """Where the database is: the same text for the same database."""

    def transaction(self) -> AbstractContextManager[None]:
        """Commit all queries of the block or none, serialised with all other writers."""

    def snapshot(self) -> AbstractContextManager[None]:
        """All queries of the block see the database as it was when the first one began."""

    def write_rows(self, name: str, rows: Sequence[Row]) -> None:
        """Execute a query of the adapter's ``queries.sql`` that writes rows, for all of these."""

    def drop_old_pages(self) -> bool:
        """Delete old versions of changed rows that readers may need; returns whether it could."""

    def revalidate(self) -> None:
        """Return if a kept session still has its database, with the schema it was opened on.

        :raises SetupError: the connection is lost, the schema has changed, or it is another file.
        """

    def abort(self) -> None:
        """Make work in progress fail soon; another thread may call it at any time."""

    def close(self) -> None:
        """Close the connection."""


OpenSession = Callable[[], Session]
