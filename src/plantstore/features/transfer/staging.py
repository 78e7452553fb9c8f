"""The plants of a file that is imported, on disk, by id: in a database that nobody else sees.

SQLite keeps it in a nameless temporary file (in ``TMPDIR``), which ends with the process.
"""

from collections.abc import Iterator, Sequence
from itertools import islice

import apsw
import msgspec

from plantstore.core.model import NewPlant
from plantstore.sql.changes import PORTION

_SETTINGS = """
    PRAGMA journal_mode = OFF;
    PRAGMA synchronous = OFF;
    PRAGMA cache_size = -16384;
    CREATE TABLE staged (id INTEGER PRIMARY KEY, line INTEGER, plant BLOB) STRICT;
    BEGIN;
"""
_INSERT = "INSERT INTO staged (id, line, plant) VALUES (?, ?, ?) ON CONFLICT DO NOTHING"
_FIND = "SELECT line, plant FROM staged WHERE id = ?"
_READ = "SELECT line, plant FROM staged ORDER BY id"

_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(NewPlant).decode

StagedPlant = tuple[int, NewPlant]  # with its line in the file


class Staging:
    """The staged plants; ``count`` is how many they are."""

    def __init__(self) -> None:
        self._connection = apsw.Connection("")
        self._connection.execute(_SETTINGS).fetchall()
        self._execute = self._connection.cursor().execute
        self.count = 0

    def add(self, plant: NewPlant, line: int) -> StagedPlant | None:
        """Add a plant; where its id is taken, the plant that has it instead."""
        self._execute(_INSERT, (plant.id, line, _encode(plant)))
        if self._connection.changes():
            self.count += 1
            return None
        ((first_line, earlier),) = self._execute(_FIND, (plant.id,))
        return first_line, _decode(earlier)

    def read(self) -> Iterator[Sequence[StagedPlant]]:
        """The plants, in portions."""
        rows = self._connection.execute(_READ)
        while portion := [(line, _decode(plant)) for line, plant in islice(rows, PORTION)]:
            yield portion

    def close(self) -> None:
        """Remove them."""
        self._connection.close()
