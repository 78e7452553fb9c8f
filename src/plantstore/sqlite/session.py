"""A connection that administers a SQLite file; it may be used while the service runs."""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from os.path import samestat

import apsw

from plantstore.core.database import Row
from plantstore.core.errors import SetupError
from plantstore.core.operations import RefusedError, Write, Written, refuse_unless_done
from plantstore.sql.queries import load_queries
from plantstore.sqlite.batch import BatchWriter
from plantstore.sqlite.connection import database_path, explained, open_file, roll_back
from plantstore.sqlite.errors import REPLACED
from plantstore.sqlite.file_lock import FileLock

_READERS_TIMEOUT_MS = 1000  # no other process writes while it waits for them


class SQLiteSession:
    """A session on the file of a database URL: on this ``file``, if given, never on its successor.

    :raises SetupError: the URL now names another file, or the file cannot be used.
    """

    def __init__(self, url: str, file: os.stat_result | None = None) -> None:
        self.before_commit: Callable[[], object] = lambda: None
        self._path = database_path(url)
        self.location = str(self._path)
        self._sql = load_queries("plantstore.sqlite")
        if file is not None:
            self._require_file(file)
        self._connection = open_file(self._path)
        with explained(self._path):
            self._lock = FileLock(self._path)
            self._schema = self._connection.pragma("schema_version")
            self._file = file or self._path.stat()
        self._require_file(self._file)  # it may have been replaced while it was opened

    def query(self, name: str, *arguments: object) -> Sequence[Row]:
        return self._execute(self._sql[name], arguments)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        with self._lock.held():
            self._execute("BEGIN IMMEDIATE")
            try:
                yield
                self.before_commit()
                self._execute("COMMIT")
            finally:
                roll_back(self._connection)

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        self._execute("BEGIN")
        try:
            yield
        finally:
            roll_back(self._connection)

    def write_rows(self, name: str, rows: Sequence[Row]) -> None:
        with explained(self._path):
            self._connection.executemany(self._sql[name], rows).fetchall()

    def write(self, writes: Sequence[Write], *, is_atomic: bool) -> Sequence[Written]:
        batch = BatchWriter(self._connection)
        with suppress(RefusedError), explained(self._path), self.transaction():
            outcomes = list(map(batch.apply, writes))
            if is_atomic:
                refuse_unless_done(outcomes)
            batch.finish()
        return outcomes

    def drop_old_pages(self) -> bool:
        """See ``Session``: it empties the WAL, unless a long list is being read."""
        with self._lock.held():
            self._connection.set_busy_timeout(_READERS_TIMEOUT_MS)
            with explained(self._path):
                try:
                    self._connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
                except apsw.BusyError:
                    return False
        return True

    def revalidate(self) -> None:
        self._require_file(self._file)
        with explained(self._path):
            if self._connection.pragma("schema_version") != self._schema:
                raise SetupError(f"the schema of {self._path} has changed")

    def abort(self) -> None:
        """See ``Session``. A wait for the lock has its own timeout."""
        with suppress(apsw.ConnectionClosedError):
            self._connection.interrupt()

    def close(self) -> None:
        self._connection.close()
        self._lock.close()

    def _require_file(self, file: os.stat_result) -> None:
        with explained(self._path):
            if not samestat(self._path.stat(), file):
                raise SetupError(REPLACED.format(name=self._path))

    def _execute(self, sql: str, arguments: Sequence[object] = ()) -> Sequence[Row]:
        with explained(self._path):
            return self._connection.execute(sql, arguments).fetchall()
