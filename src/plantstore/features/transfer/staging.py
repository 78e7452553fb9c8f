"""The plants of a file that is imported, on disk, by id: in a database that nobody else sees.

SQLite keeps it in a nameless temporary file (in ``TMPDIR``), which ends with the process.
"""

from collections.abc import Iterator

import apsw
import msgspec

from plantstore.core.model import NewPlant
from plantstore.features.transfer.stores import Change

_SETTINGS = """
    PRAGMA journal_mode = OFF;
    PRAGMA synchronous = OFF;
    PRAGMA cache_size = -16384;
    CREATE TABLE staged (id INTEGER PRIMARY KEY, line INTEGER, change BLOB) STRICT;
    BEGIN;
"""
_INSERT = "INSERT INTO staged (id, line, change) VALUES (?, ?, ?) ON CONFLICT DO NOTHING"
_FIND = "SELECT line, change FROM staged WHERE id = ?"
_READ = "SELECT line, change FROM staged ORDER BY id"

_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(Change).decode

Staged = tuple[int, Change]  # with the line of the file


class Staging:
    """Changes of plants; ``count`` is how many they are."""

    def __init__(self) -> None:
        self._connection = apsw.Connection("")
        self._connection.execute(_SETTINGS).fetchall()
        self._execute = self._connection.cursor().execute
        self.count = 0

    def add(self, line: int, change: Change) -> tuple[int, NewPlant] | None:
        """Add a change; where its id is taken, the line and the plant that have it instead."""
        self._execute(_INSERT, (change[1].id, line, _encode(change)))
        if self._connection.changes():
            self.count += 1
            return None
        ((first_line, earlier),) = self._execute(_FIND, (change[1].id,))
        return first_line, _decode(earlier)[1]

    def read(self) -> Iterator[Staged]:
        """The changes, by id."""
        for line, change in self._connection.execute(_READ):
            yield line, _decode(change)

    def close(self) -> None:
        """Remove them."""
        self._connection.close()
