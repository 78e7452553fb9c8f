"""What administration needs of a database: named queries, alone or as a transaction."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

Row = Sequence[Any]


class Session(Protocol):
    """One connection for the command line; faults are ``SetupError``, saying what to do."""

    def query(self, name: str, *arguments: object) -> Sequence[Row]:
        """All rows of a query of the adapter's ``queries.sql``."""

    def transaction(self) -> AbstractContextManager[None]:
        """All queries of the block or none, after every other writer and before the next."""

    def check(self) -> Sequence[str]:
        """Sentences on what was looked at and found good."""

    def close(self) -> None:
        """Let the database go."""
