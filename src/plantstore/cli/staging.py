"""Stages changes to plants on disk, by id, in a private temporary database.

SQLite keeps it in an unnamed temporary file (in ``TMPDIR``), which is gone when the process ends.
"""

from collections.abc import Iterator

import apsw
import msgspec

from plantstore.sql.changes import Change

_SETTINGS = """
    PRAGMA journal_mode = OFF;
    PRAGMA synchronous = OFF;
    PRAGMA cache_size = -16384;
    CREATE TABLE staged (id INTEGER PRIMARY KEY, line INTEGER, change BLOB) STRICT;
    BEGIN;
"""
_INSERT = "INSERT INTO staged (id, line, change) VALUES (?, ?, ?) ON CONFLICT DO NOTHING"
_FIND = "SELECT line, change FROM staged WHERE id = ?"

_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(Change).decode

Staged = tuple[int, Change]  # with its line number in a file, or 0


class Staging:
    """Staged changes to different plants; ``count`` is their number."""

    def __init__(self) -> None:
        self._connection = apsw.Connection("")
        self._connection.execute(_SETTINGS).fetchall()
        self._execute = self._connection.cursor().execute
        self.count = 0

    def add(self, change: Change, line: int = 0) -> Staged | None:
        """Add a change, unless its plant has a staged change, which is returned."""
        self._execute(_INSERT, (change.plant.id, line, _encode(change)))
        if self._connection.changes():
            self.count += 1
            return None
        ((first_line, earlier),) = self._execute(_FIND, (change.plant.id,))
        return first_line, _decode(earlier)

    def read(self) -> Iterator[Staged]:
        """The changes, by id."""
        for line, change in self._connection.execute("SELECT line, change FROM staged ORDER BY id"):
            yield line, _decode(change)
