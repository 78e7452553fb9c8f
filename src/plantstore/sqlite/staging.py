"""The plants of a file that is imported, on disk, by id: in a database that nobody else sees.

SQLite keeps it in a nameless temporary file (in ``TMPDIR``), which ends with the process.
"""

from collections.abc import Iterator, Sequence
from itertools import islice

import apsw

from plantstore.sql.importing.portion import StagedRow

_SETTINGS = """
    PRAGMA journal_mode = OFF;
    PRAGMA synchronous = OFF;
    PRAGMA cache_size = -16384;
    CREATE TABLE staged (id INTEGER PRIMARY KEY, line INTEGER, name TEXT, tag TEXT) STRICT;
    BEGIN;
"""
_INSERT = "INSERT INTO staged VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING"
_FIND = "SELECT line, name, tag FROM staged WHERE id = ?"
_READ = "SELECT id, name, tag, line FROM staged WHERE ?1 IS NULL OR id > ?1 ORDER BY id"


class Staging:
    """The staged plants; ``count`` is how many they are."""

    def __init__(self) -> None:
        self._connection = apsw.Connection("")
        self._connection.execute(_SETTINGS).fetchall()
        self._execute = self._connection.cursor().execute
        self.count = 0

    def add(self, plant_id: int, name: str, tag: str | None, line: int) -> tuple[int, bool] | None:
        """Add a plant; where the id is taken, the line that has it, and whether it is identical."""
        self._execute(_INSERT, (plant_id, line, name, tag))
        if self._connection.changes():
            self.count += 1
            return None
        ((earlier, *stored),) = self._execute(_FIND, (plant_id,))
        return earlier, stored == [name, tag]

    def read(self, after: int | None, size: int) -> Iterator[Sequence[StagedRow]]:
        """The plants after an id, or all, in portions of this size."""
        rows = self._connection.execute(_READ, (after,))
        while portion := list(islice(rows, size)):
            yield portion

    def close(self) -> None:
        """Remove them."""
        self._connection.close()
