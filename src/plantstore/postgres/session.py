"""A connection that administers PostgreSQL; it may be used while the service runs."""

import os
import re
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress

from plantstore.core.database import Row
from plantstore.core.errors import SetupError
from plantstore.core.operations import RefusedError, Write, Written, refuse_unless_done
from plantstore.postgres.connection import connect, explained, read_applied, require_schema
from plantstore.postgres.hosts import check_hosts
from plantstore.postgres.writer import read_outcomes, to_arguments
from plantstore.sql.checks import Check, run_check
from plantstore.sql.queries import load_queries

_INSERT = re.compile(r"INSERT INTO (\w+ \([^()]+\))\s+VALUES \([^()]+\)")


class PostgresSession:
    """A session on the database of a URL.

    :raises SetupError: the database cannot be used, or its schema has another version.
    """

    def __init__(self, url: str) -> None:
        self.before_commit: Callable[[], object] = lambda: None
        self._url = url
        self._connection = connect(url)
        # An own descriptor: at an abort, the connection's may be closed, and reused for a file.
        self._socket = socket.socket(fileno=os.dup(self._connection.fileno()))
        try:
            with explained():
                distribution = require_schema(read_applied(self._connection))
                self._sql = load_queries("plantstore.postgres", distribution)
                self._version = self._read_version()
                self._connection.execute(self._sql["plan_lookups"])
        except BaseException:
            self.close()
            raise

    @property
    def location(self) -> str:
        info = self._connection.info
        return f"{info.dbname} at {info.hostaddr or info.host}:{info.port}"

    def query(self, name: str, *arguments: object) -> Sequence[Row]:
        with explained():
            cursor = self._connection.execute(self._sql[name], arguments)
            return cursor.fetchall() if cursor.description is not None else []

    @contextmanager
    def transaction(self) -> Iterator[None]:
        with explained(), self._connection.transaction():
            self.query("lock_administration")
            yield
            self.before_commit()

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        with explained():
            self.query("begin_snapshot")
            try:
                yield
            finally:
                if not self._connection.closed:
                    self._connection.rollback()

    def write_rows(self, name: str, rows: Sequence[Row]) -> None:
        """See ``Session``; an INSERT of values becomes a COPY, which is five times as fast."""
        inserting = _INSERT.fullmatch(self._sql[name])
        with explained(), self._connection.cursor() as cursor:
            if inserting is None:
                cursor.executemany(self._sql[name], rows)
                return
            with cursor.copy(f"COPY {inserting[1]} FROM STDIN") as copy:
                for row in rows:
                    copy.write_row(row)

    def write(self, writes: Sequence[Write], *, is_atomic: bool) -> Sequence[Written]:
        """See ``Session``. Citus delegates only a call that is a transaction of its own."""
        with suppress(RefusedError), self.transaction() if is_atomic else nullcontext():
            arguments = to_arguments(writes, "10s", is_atomic=False)
            outcomes = read_outcomes(self.query("write_batch", *arguments)[0][0])
            if is_atomic:
                refuse_unless_done(outcomes)
        return outcomes

    def check(self) -> Iterator[Check]:
        """Whether the database accepts writes, without changing it."""
        info = self._connection.info
        detail = f"PostgreSQL {info.parameter_status('server_version')} has {self.location}"
        yield Check("connection", ok=True, detail=detail)
        if "," in self._url:
            yield run_check("hosts", check_hosts, self._url)
        yield Check("schema", ok=True, detail=f"the schema of {info.dbname} is up to date")
        yield run_check("writable", self._try_write)

    def _try_write(self) -> str:
        with explained():  # the id of no store
            self._connection.execute("DELETE FROM plants WHERE store_id = 0")
        return f"{self.location} accepts writes"

    def drop_old_pages(self) -> bool:
        """See ``Session``; autovacuum drops them later."""
        return True

    def revalidate(self) -> None:
        with explained():
            if self._read_version() != self._version:
                raise SetupError("the schema of the database has changed")

    def _read_version(self) -> Row | None:
        return self._connection.execute("SELECT max(number) FROM schema_migrations").fetchone()

    def abort(self) -> None:
        """See ``Session``. It ends the connection, even if the server is silent."""
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        self._connection.close()
        self._socket.close()
