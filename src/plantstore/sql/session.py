"""What administration needs of a database: named queries, alone or as a transaction."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

Row = Sequence[Any]


class Session(Protocol):
    """One connection for the command line; faults are ``SetupError``, saying what to do."""

    @property
    def place(self) -> str:
        """Where the database is, in words: the same for the same one."""

    def query(self, name: str, *arguments: object) -> Sequence[Row]:
        """All rows of a query of the adapter's ``queries.sql``."""

    def transaction(self) -> AbstractContextManager[None]:
        """All queries of the block or none, after every other writer and before the next."""

    def snapshot(self) -> AbstractContextManager[None]:
        """All queries of the block see the database as it was when the first one began."""

    def write_rows(self, name: str, rows: Sequence[Row]) -> None:
        """Execute a query of the adapter's ``queries.sql`` that writes rows, for all of these."""

    def pass_ids(self) -> None:
        """See to it that the next new store and user get ids above all that there are."""

    def analyze(self) -> None:
        """Have the database look at how much there is in its tables, to plan by."""

    def check(self) -> Sequence[str]:
        """Sentences on what was looked at and found good."""

    def close(self) -> None:
        """Let the database go."""
