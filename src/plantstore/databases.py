"""The adapter for a database URL: SQLite's or PostgreSQL's.

An adapter is imported when a URL needs it: the start is fast because it imports little.
"""

import re
from collections.abc import Iterator, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from plantstore.core.database import Database
from plantstore.core.errors import SetupError
from plantstore.core.settings import Settings

if TYPE_CHECKING:
    from plantstore.sql.checks import Check
    from plantstore.sql.migrations import Migration
    from plantstore.sql.session import OpenSession, Session


async def open_database(settings: Settings) -> Database:
    """The database for serving, on the event loop that will use it."""
    if is_postgres(settings.database):
        from plantstore.postgres.database import PostgresDatabase

        database = PostgresDatabase(settings)
        await database.open()
        return database
    from plantstore.sqlite.database import SQLiteDatabase

    return SQLiteDatabase(settings)


def open_session(url: str) -> "Session":
    """A connection for administration.

    :raises SetupError: the database does not exist, or cannot be used.
    """
    if is_postgres(url):
        from plantstore.postgres.session import PostgresSession

        return PostgresSession(url)
    from plantstore.sqlite.session import SQLiteSession

    return SQLiteSession(url)


def find_open_session(url: str) -> "OpenSession":
    """What opens sessions on the database that is there now: never on a file that replaced it."""
    if is_postgres(url):
        return partial(open_session, url)
    from plantstore.sqlite.connection import database_path
    from plantstore.sqlite.session import open_same_file

    return partial(open_same_file, url, database_path(url).stat())


def create_database(url: str) -> str | None:
    """Create the SQLite file of a URL if it is missing; its path, if this call created it.

    Warns of an existing file that other users may open.
    """
    if is_postgres(url):
        return None
    from plantstore.sqlite.connection import database_path, ensure_file, warn_of_permissions

    path = database_path(url)
    if ensure_file(path):
        return str(path)
    warn_of_permissions(path)
    return None


def prepare_database(url: str) -> None:
    """Give a SQLite file without tables its tables; refuse a schema of another version.

    On PostgreSQL, each serving process checks the schema when it has a connection.

    :raises SetupError: the URL is not valid, or the file cannot be served.
    """
    if is_postgres(url):
        from plantstore.postgres.hosts import Hosts

        Hosts(url)
        return
    from plantstore.sqlite.connection import database_path, open_file

    open_file(database_path(url)).close()


def check_database(url: str) -> "Iterator[Check]":
    """Check the database without changing anything.

    :raises SetupError: it does not exist, or cannot be opened.
    """
    require_database(url)
    if is_postgres(url):
        from plantstore.postgres.session import PostgresSession

        with closing(PostgresSession(url)) as session:
            yield from session.check()
        return
    from plantstore.sqlite.check import check_file
    from plantstore.sqlite.connection import database_path

    yield from check_file(database_path(url))


def require_database(url: str, *advice: str) -> None:
    """Refuse the URL of a missing SQLite file; the ``advice`` says what to do, if not to name it.

    :raises SetupError: it does not exist.
    """
    if not is_postgres(url):
        from plantstore.sqlite.connection import database_path, require_file

        require_file(database_path(url), *advice)


def migrate(url: str, *, dry_run: bool) -> "Sequence[Migration]":
    """Migrate the database to this program's schema; returns the migrations that it lacked."""
    if is_postgres(url):
        from plantstore.postgres.connection import migrate

        return migrate(url, dry_run=dry_run)
    from plantstore.sqlite import connection

    return connection.migrate(connection.database_path(url), dry_run=dry_run)


def is_postgres(url: str) -> bool:
    """Whether the URL is one of PostgreSQL, not of SQLite.

    :raises SetupError: it is neither.
    """
    if url.startswith(("postgresql://", "postgres://")):
        return True
    if not url.startswith("sqlite:"):
        kind = re.split("[:=@ ]", url)[0]  # no more of it: it may contain a password
        raise SetupError(
            f"a database URL cannot begin with {kind!r}: "
            "write sqlite:///plants.db, or postgresql://user@host/name"
        )
    return False


def find_file(url: str) -> "Path | None":
    """The path of a SQLite database, which need not exist; None on PostgreSQL."""
    if is_postgres(url):
        return None
    from plantstore.sqlite.connection import database_path

    return database_path(url)
