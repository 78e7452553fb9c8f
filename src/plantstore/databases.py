"""Chooses the adapter for a database URL: SQLite or PostgreSQL.

The adapter for PostgreSQL is imported only if a URL needs it: its driver is an extra.
"""

import re
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path

from plantstore.core.database import Database
from plantstore.core.errors import UsageError
from plantstore.core.settings import Settings
from plantstore.sql.checks import Check
from plantstore.sql.migrations import Migration
from plantstore.sql.session import OpenSession, Queries, Session
from plantstore.sqlite import connection as sqlite
from plantstore.sqlite.reader import check_file
from plantstore.sqlite.reader import reading as read_file
from plantstore.sqlite.session import SQLiteSession


async def open_database(settings: Settings) -> Database:
    """The database for serving, on the event loop that will use it."""
    if is_postgres(settings.database):
        from plantstore.postgres.database import PostgresDatabase

        database = PostgresDatabase(settings)
        await database.open()
        return database
    from plantstore.sqlite.database import SQLiteDatabase  # which commands do not need

    return SQLiteDatabase(settings)


def open_session(url: str) -> Session:
    """A connection for administration.

    :raises SetupError: the database does not exist, or cannot be used.
    """
    if is_postgres(url):
        from plantstore.postgres.session import PostgresSession

        return PostgresSession(url)
    return SQLiteSession(url)


def find_open_session(url: str) -> OpenSession:
    """A function that opens sessions on this database, never on a file that has replaced it."""
    if path := find_file(url):
        return partial(SQLiteSession, url, path.stat())
    return partial(open_session, url)


def create_database(url: str) -> str | None:
    """Create a missing SQLite file; returns its path if this call created it."""
    path = find_file(url)
    return str(path) if path and sqlite.ensure_file(path) else None


def prepare_database(url: str) -> None:
    """Create the tables in an empty SQLite file; refuse a schema of another version.

    On PostgreSQL, each serving process checks the schema once it is connected.

    :raises SetupError: the URL is not valid, or the file cannot be served.
    """
    if path := find_file(url):
        sqlite.open_file(path).close()
        return
    from plantstore.postgres.hosts import Hosts

    Hosts(url)


def check_database(url: str) -> Iterator[Check]:
    """Check the database without changing anything.

    :raises SetupError: it does not exist, or cannot be opened.
    """
    require_database(url)
    if path := find_file(url):
        yield from check_file(path)
        return
    from plantstore.postgres.session import PostgresSession

    with closing(PostgresSession(url)) as session:
        yield from session.check()


def require_database(url: str, *advice: str) -> None:
    """Refuse the URL of a missing SQLite file, with this ``advice`` or a default one.

    :raises SetupError: it does not exist.
    """
    if path := find_file(url):
        sqlite.require_file(path, *advice)


def find_missing(url: str) -> Sequence[Migration]:
    if path := find_file(url):
        return sqlite.find_missing(path)
    from plantstore.postgres.connection import find_missing

    return find_missing(url)


@contextmanager
def reading(url: str) -> Iterator[Queries]:
    """A reader that sees the database as it is at the start of the block, and changes nothing.

    :raises SetupError: it does not exist, or cannot be read.
    """
    require_database(url)
    if file := find_file(url):
        with read_file(file) as reader:
            yield reader
        return
    with closing(open_session(url)) as session, session.snapshot():
        yield session


def migrate(url: str, *, stops_older: bool = False) -> Sequence[Migration]:
    """Migrate the database to this program's schema; returns the migrations that it lacked.

    :raises SetupError: it would stop an older program that is running; not with ``stops_older``.
    """
    if path := find_file(url):
        return sqlite.migrate(path, stops_older=stops_older)
    from plantstore.postgres.connection import migrate

    return migrate(url, stops_older=stops_older)


def find_file(url: str) -> Path | None:
    """The path of a SQLite database, which need not exist; None on PostgreSQL."""
    return None if is_postgres(url) else sqlite.database_path(url)


def is_postgres(url: str) -> bool:
    """Whether the URL is for PostgreSQL, not SQLite.

    :raises UsageError: it is neither.
    """
    if url.startswith(("postgresql://", "postgres://")):
        return True
    if not url.startswith("sqlite:"):
        kind = re.split("[:=@ ]", url)[0]  # not more: the rest may contain a password
        raise UsageError(
            f"a database URL cannot begin with {kind!r}: "
            "write sqlite:///plants.db, or postgresql://user@host/name"
        )
    return False
