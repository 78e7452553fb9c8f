"""Opens a file to read it, and leaves it as it is.

Invariant: the file, its permissions and the list of files in its folder stay the same, whether a
service uses the database, was killed, or never ran.
"""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import apsw

from plantstore.core.database import Row
from plantstore.sql.queries import load_queries
from plantstore.sqlite.connection import BUSY_TIMEOUT_MS, explained, require_schema

_MAX_DAMAGE = 20
_STEPS = 100_000  # of SQLite's virtual machine: some milliseconds


def open_unchanged(path: Path, *, can_write: bool) -> apsw.Connection:
    """A connection for reading; ``can_write`` says whether this user may write to the file."""
    has_wal, has_index = (path.with_name(path.name + end).exists() for end in ("-wal", "-shm"))
    # SQLite must not create the files beside it where it cannot delete them at the end.
    immutable = int(not can_write and not has_wal and not has_index)
    flags = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_URI
    connection = apsw.Connection(f"{path.as_uri()}?immutable={immutable}", flags=flags)
    connection.set_busy_timeout(BUSY_TIMEOUT_MS)
    if has_wal:  # closing the last connection would checkpoint it
        connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
    if has_wal and not has_index:  # a copy that nobody uses: keep its index in memory
        connection.execute("PRAGMA locking_mode = EXCLUSIVE")
    return connection


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
    """A connection that only reads, for ``plantstore verify``.

    :raises SetupError: the file cannot be read, or its schema is not this program's.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._sql = load_queries("plantstore.sqlite")
        self._connection = open_to_read(path)
        try:
            with explained(path):
                require_schema(self._connection)
        except BaseException:
            self._connection.close()
            raise

    def query(self, name: str, *arguments: object) -> Sequence[Row]:
        """See ``Reader``."""
        with explained(self._path):
            return self._connection.execute(self._sql[name], arguments).fetchall()

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """See ``Reader``."""
        with explained(self._path):
            self._connection.execute("BEGIN")
            yield

    def find_damage(self) -> Iterator[str]:
        """See ``Reader``."""
        with explained(self._path):
            for (found,) in self._connection.execute(f"PRAGMA integrity_check({_MAX_DAMAGE})"):
                if found != "ok":
                    yield f"the file is corrupt: {found}"
            for table, _, parent, _ in self._connection.execute("PRAGMA foreign_key_check"):
                yield f"a row of {table} is of one of {parent} that does not exist"

    def close(self) -> None:
        """See ``Reader``."""
        self._connection.close()
