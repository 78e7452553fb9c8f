"""What administration needs of a database: named queries, alone or as a transaction."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

Row = Sequence[Any]


class Session(Protocol):
    """One connection for the command line; errors are ``SetupError``, saying what to do."""

    @property
    def location(self) -> str:
        """Where the database is: the same text for the same database."""

    def query(self, name: str, *arguments: object) -> Sequence[Row]:
        """All rows of a query of the adapter's ``queries.sql``."""

    def transaction(self) -> AbstractContextManager[None]:
        """All queries of the block or none, after every other writer and before the next."""

    def snapshot(self) -> AbstractContextManager[None]:
        """All queries of the block see the database as it was when the first one began."""

    def write_rows(self, name: str, rows: Sequence[Row]) -> None:
        """Execute a query of the adapter's ``queries.sql`` that writes rows, for all of these."""

    def advance_sequences(self) -> None:
        """Let the next new store and user get ids above all existing ones."""

    def analyze(self) -> None:
        """Let the database collect the statistics that its planner needs."""

    def check(self) -> Sequence[str]:
        """What was checked and found good, in sentences."""

    def close(self) -> None:
        """Close the connection."""
