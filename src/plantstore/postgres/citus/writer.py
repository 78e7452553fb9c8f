"""Writes where the tables are distributed: a batch is of one store."""

from collections.abc import Sequence

import psycopg

from plantstore.database import Write
from plantstore.postgres.writer import Writer

_WORKER_LOST = ("08", "57P")  # classes of SQLSTATE: a connection was lost, a server was stopped


class CitusWriter(Writer):
    """See ``Writer``."""

    max_batches = 6  # each waits for a commit; the rest of the connections is for look-ups
    max_stores = 1

    def arguments(
        self, writes: Sequence[Write], arguments: tuple[object, ...]
    ) -> tuple[object, ...]:
        """See ``Writer``: the store tells Citus where to run it."""
        return writes[0].store_id, *arguments

    def may_be_committed(self, error: psycopg.Error) -> bool:
        """See ``Writer``: another server commits than the one that says that it has lost it."""
        return (error.sqlstate or "").startswith(_WORKER_LOST)
