"""Reads a SQLite file as it is at one moment, and leaves it as it is: see ``sqlite/check.py``."""

import os
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import apsw

from plantstore.core.database import Row
from plantstore.sql.queries import load_queries
from plantstore.sqlite.check import open_unchanged
from plantstore.sqlite.connection import explained, require_schema

_MAX_DAMAGE = 20
_STEPS = 100_000  # of SQLite's virtual machine: some milliseconds


def open_to_read(path: Path) -> apsw.Connection:
    """A connection for reading, whose long queries can be interrupted by a signal.

    :raises SetupError: the file cannot be opened.
    """
    with explained(path):
        can_write = os.access(path, os.W_OK) and os.access(path.parent, os.W_OK | os.X_OK)
        connection = open_unchanged(path, can_write=can_write)
        make_interruptible(connection)
        return connection


def make_interruptible(connection: apsw.Connection) -> None:
    """Let Python handle signals, such as Ctrl-C, while a query runs."""
    connection.set_progress_handler(lambda: False, _STEPS)


class SQLiteReader:
    """Reads named queries of a connection, for ``plantstore verify``."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        self._sql = load_queries("plantstore.sqlite")

    def query(self, name: str, *arguments: object) -> Sequence[Row]:
        return self._connection.execute(self._sql[name], arguments).fetchall()

    def find_damage(self) -> Iterator[str]:
        """What is wrong with the file, in words."""
        for (found,) in self._connection.execute(f"PRAGMA integrity_check({_MAX_DAMAGE})"):
            if found != "ok":
                yield f"the file is corrupt: {found}"
        for table, _, parent, _ in self._connection.execute("PRAGMA foreign_key_check"):
            yield f"a row of {table} is of one of {parent} that does not exist"


@contextmanager
def reading(path: Path) -> Iterator[SQLiteReader]:
    """What reads the file as it is when it begins.

    :raises SetupError: the file cannot be read, or its schema is not this program's.
    """
    with explained(path), closing(open_to_read(path)) as connection:
        require_schema(connection)
        connection.execute("BEGIN")
        yield SQLiteReader(connection)
