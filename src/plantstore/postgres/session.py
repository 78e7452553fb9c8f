"""The command line's connection to PostgreSQL; it may be used while the service runs."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from plantstore.postgres.connection import connect, explained, require_schema
from plantstore.sql.queries import load_queries
from plantstore.sql.session import Row


class PostgresSession:
    """A session on the database of a URL.

    :raises SetupError: there is none, or its schema is of another version.
    """

    def __init__(self, url: str) -> None:
        self._sql = load_queries("plantstore.postgres")
        self._connection = connect(url)
        try:
            with explained():
                require_schema(self._connection)
        except BaseException:
            self._connection.close()
            raise

    @property
    def location(self) -> str:
        """See ``Session``."""
        info = self._connection.info
        return f"{info.dbname} at {info.hostaddr or info.host}:{info.port}"

    def query(self, name: str, *arguments: object) -> Sequence[Row]:
        """See ``Session``."""
        with explained():
            cursor = self._connection.execute(self._sql[name], arguments)
            return cursor.fetchall() if cursor.description is not None else []

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """See ``Session``."""
        with explained(), self._connection.transaction():
            self.query("lock_administration")
            yield

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """See ``Session``."""
        with explained():
            self.query("begin_snapshot")
            try:
                self.query("plan_pages")
                yield
            finally:
                if not self._connection.closed:
                    self._connection.rollback()

    def write_rows(self, name: str, rows: Sequence[Row]) -> None:
        """See ``Session``; COPY takes a fifth of the time of INSERT."""
        sql = self._sql[name]
        with explained(), self._connection.cursor() as cursor:
            if not sql.startswith("COPY "):
                cursor.executemany(sql, rows)
                return
            with cursor.copy(sql) as copy:
                for row in rows:
                    copy.write_row(row)

    def advance_sequences(self) -> None:
        """See ``Session``."""
        self.query("advance_sequences")

    def analyze(self) -> None:
        """See ``Session``; without it, the first lists would be slow."""
        self.query("analyze")

    def check(self) -> Sequence[str]:
        """See ``Session``."""
        info = self._connection.info
        version = self._connection.execute("SHOW server_version").fetchone()
        location = f"{info.dbname} at {info.host or 'a local socket'}"
        return [
            f"PostgreSQL {version[0] if version else '?'} has {location} and accepts writes",
            f"the schema of {info.dbname} is up to date",
        ]

    def close(self) -> None:
        """See ``Session``."""
        self._connection.close()
