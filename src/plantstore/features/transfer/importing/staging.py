"""The plants of a file that is imported, on disk, by id: in a database that nobody else sees.

SQLite keeps it in a nameless temporary file (in ``TMPDIR``), which ends with the process.
"""

from collections.abc import Iterator, Sequence
from itertools import islice

import apsw
from msgspec.structs import astuple

from plantstore.features.transfer.importing.writing import StagedPlant
from plantstore.model import NewPlant

_SETTINGS = """
    PRAGMA journal_mode = OFF;
    PRAGMA synchronous = OFF;
    PRAGMA cache_size = -16384;
    CREATE TABLE staged (id INTEGER PRIMARY KEY, name TEXT, tag TEXT, line INTEGER) STRICT;
    BEGIN;
"""
_INSERT = "INSERT INTO staged (id, name, tag, line) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING"
_FIND = "SELECT id, name, tag, line FROM staged WHERE id = ?"
_READ = "SELECT id, name, tag, line FROM staged ORDER BY id"


class Staging:
    """The staged plants; ``count`` is how many they are."""

    def __init__(self) -> None:
        self._connection = apsw.Connection("")
        self._connection.execute(_SETTINGS).fetchall()
        self._execute = self._connection.cursor().execute
        self.count = 0

    def add(self, plant: NewPlant, line: int) -> StagedPlant | None:
        """Add a plant; where its id is taken, the plant that has it instead."""
        self._execute(_INSERT, (*astuple(plant), line))
        if self._connection.changes():
            self.count += 1
            return None
        ((*earlier, first_line),) = self._execute(_FIND, (plant.id,))
        return first_line, NewPlant(*earlier)

    def read(self, size: int) -> Iterator[Sequence[StagedPlant]]:
        """The plants, in portions of this size."""
        rows = self._connection.execute(_READ)
        while portion := [(line, NewPlant(*plant)) for *plant, line in islice(rows, size)]:
            yield portion

    def close(self) -> None:
        """Remove them."""
        self._connection.close()
