"""The kinds of database: how a test gets a fresh one, and accesses it without the service."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from itertools import islice
from pathlib import Path

import psycopg
import pytest
from msgspec import Struct

from plantstore.databases import create_database
from plantstore.sqlite.connection import connect, database_path
from plantstore.sqlite.file_lock import FileLock
from tests.postgres.server import PostgresServer

# The kinds that a test runs on, if they differ from those of its folder.
SQLITE_ONLY = pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
ON_BOTH = pytest.mark.parametrize("database_kind", ["sqlite", "postgres"], indirect=True)
_SQLITE_PREFIX = "sqlite:"
_MAX_STATEMENTS = 500  # in a transaction


class Kind(Struct, frozen=True):
    """A kind of database; ``fresh`` creates an empty database in a folder and yields its URL."""

    name: str
    fresh: Callable[[Path], AbstractContextManager[str]]


@contextmanager
def _fresh_sqlite(folder: Path) -> Iterator[str]:
    yield create_sqlite(folder)


def create_sqlite(folder: Path) -> str:
    url = f"{_SQLITE_PREFIX}///{folder / 'plants.db'}"
    create_database(url)
    return url


SQLITE = Kind("sqlite", _fresh_sqlite)


def postgres_kind(server: PostgresServer) -> Kind:
    return Kind("postgres", lambda _folder: server.fresh())


def find_kind(request: pytest.FixtureRequest) -> Kind:
    """The kind that a fixture's parameter names; for PostgreSQL, on the shared server."""
    if request.param == "sqlite":
        return SQLITE
    return postgres_kind(request.getfixturevalue("postgres_server"))


@contextmanager
def writes_held(url: str) -> Iterator[None]:
    """Block every write to a database, as another slow writer would."""
    if url.startswith(_SQLITE_PREFIX):
        with closing(FileLock(database_path(url))) as lock, lock.held():
            yield
        return
    with closing(psycopg.connect(url)) as connection:
        connection.execute("LOCK TABLE revisions IN EXCLUSIVE MODE")
        yield


def execute(url: str, sql: str, rows: Iterable[Sequence[object]] = ((),)) -> None:
    """Execute a statement for each row of arguments: ``$1`` and so on, in this order."""
    if url.startswith(_SQLITE_PREFIX):
        with writes_held(url), closing(connect(database_path(url))) as database, database:
            database.executemany(sql, rows)
        return
    remaining = iter(rows)
    with psycopg.connect(url, autocommit=True, cursor_factory=psycopg.RawCursor) as connection:
        # In parts: Citus takes minutes to commit so many statements at once.
        while part := list(islice(remaining, _MAX_STATEMENTS)):
            connection.cursor().executemany(sql.encode(), part)
