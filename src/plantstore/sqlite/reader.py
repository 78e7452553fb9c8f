"""Reads a file for ``plantstore verify``; it stays as it is: see ``inspection.py``."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from plantstore.sql.queries import load_queries
from plantstore.sql.session import Row
from plantstore.sqlite.connection import explained, require_schema
from plantstore.sqlite.inspection import open_to_read

_MAX_DAMAGE = 20


class SQLiteReader:
    """A connection that only reads.

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
