"""The command line's connection to a SQLite file; it may be used while the service runs."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

import apsw

from plantstore.errors import SetupError
from plantstore.sql.queries import load_queries
from plantstore.sql.session import Row
from plantstore.sqlite.connection import (
    connect_in_place,
    database_path,
    explained,
    find_reason,
    open_lock,
    prepare,
)


class SQLiteSession:
    """A session on the file of a database URL."""

    def __init__(self, url: str) -> None:
        self._path = database_path(url)
        prepare(self._path)
        self._sql = load_queries("plantstore.sqlite")
        with explained(self._path):
            self._lock = open_lock(self._path)
            self._connection = connect_in_place(self._path)

    @property
    def location(self) -> str:
        """See ``Session``."""
        return str(self._path)

    def query(self, name: str, *arguments: object) -> Sequence[Row]:
        """See ``Session``."""
        with self._explained():
            return self._connection.execute(self._sql[name], arguments).fetchall()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """See ``Session``."""
        with self._lock.held(), self._explained():
            try:
                self._connection.execute("BEGIN IMMEDIATE")
                yield
                self._connection.execute("COMMIT")
            except BaseException:
                self._roll_back()
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
        with self._explained():
            self._connection.executemany(self._sql[name], rows).fetchall()

    def advance_sequences(self) -> None:
        """See ``Session``; AUTOINCREMENT already does."""

    def analyze(self) -> None:
        """See ``Session``; the plans of SQLite's queries do not depend on it."""

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

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except apsw.Error as error:
            reason = find_reason(error, self._path)
            raise SetupError(f"the database cannot do this now: {reason}") from error
