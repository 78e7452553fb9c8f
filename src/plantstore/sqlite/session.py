"""A connection that administers a SQLite file; it may be used while the service runs."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from os.path import samestat

import apsw

from plantstore.core.database import Row
from plantstore.core.errors import SetupError
from plantstore.sql.queries import load_queries
from plantstore.sqlite.connection import (
    connect_in_place,
    database_path,
    explained,
    find_reason,
    open_lock,
    prepare,
)
from plantstore.sqlite.errors import REPLACED


def open_same_file(url: str, file: os.stat_result) -> "SQLiteSession":
    """A session on this file, never on one that has replaced it.

    :raises SetupError: the URL names another file, or it cannot be used.
    """
    path = database_path(url)
    with explained(path):
        if not samestat(path.stat(), file):
            raise SetupError(REPLACED.format(name=path))
    return SQLiteSession(url)


class SQLiteSession:
    """A session on the file of a database URL."""

    def __init__(self, url: str) -> None:
        self._path = database_path(url)
        prepare(self._path)
        self._sql = load_queries("plantstore.sqlite")
        with explained(self._path):
            self._lock = open_lock(self._path)
            self._connection = connect_in_place(self._path)
            self._schema = self._connection.pragma("schema_version")
            self._file = self._path.stat()

    @property
    def location(self) -> str:
        """See ``Session``."""
        return str(self._path)

    def query(self, name: str, *arguments: object) -> Sequence[Row]:
        """See ``Session``."""
        try:
            return self._connection.execute(self._sql[name], arguments).fetchall()
        except apsw.Error as error:
            raise self._explain(error) from error

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """See ``Session``."""
        with self._lock.held():
            try:
                self._connection.execute("BEGIN IMMEDIATE")
                yield
                self._connection.execute("COMMIT")
            except BaseException as error:
                self._roll_back()
                if isinstance(error, apsw.Error):
                    raise self._explain(error) from error
                raise

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """See ``Session``."""
        self._connection.execute("BEGIN")
        try:
            yield
        finally:
            self._roll_back()

    def write_rows(self, name: str, rows: Sequence[Row]) -> None:
        """See ``Session``."""
        try:
            self._connection.executemany(self._sql[name], rows).fetchall()
        except apsw.Error as error:
            raise self._explain(error) from error

    def advance_sequences(self) -> None:
        """See ``Session``; AUTOINCREMENT already does."""

    def analyze(self) -> None:
        """See ``Session``; the plans of SQLite's queries do not depend on it."""

    def revalidate(self) -> None:
        """See ``Session``."""
        try:
            if not samestat(self._path.stat(), self._file):
                raise SetupError(REPLACED.format(name=self._path))
            if self._connection.pragma("schema_version") != self._schema:
                raise SetupError(f"the schema of {self._path} has changed")
        except (OSError, apsw.Error) as error:
            raise self._explain(error) from error

    def abort(self) -> None:
        """See ``Session``. A wait for the lock has its own timeout."""
        with suppress(apsw.ConnectionClosedError):
            self._connection.interrupt()

    def close(self) -> None:
        """See ``Session``."""
        self._connection.close()
        self._lock.close()

    def _roll_back(self) -> None:
        if self._connection.in_transaction:
            self._connection.execute("ROLLBACK")

    def _explain(self, error: OSError | apsw.Error) -> SetupError:
        reason = find_reason(error, self._path)
        return SetupError(f"the database cannot do this now: {reason}")
