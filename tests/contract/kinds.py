"""The kinds of database that the contract holds for: how a test gets one, and disturbs it."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path

import psycopg
from msgspec import Struct

from plantstore.sqlite.connection import database_path, open_lock
from tests.postgres.server import PostgresServer


class Kind(Struct, frozen=True):
    """One kind. The contract's tests know databases only by this.

    ``fresh`` gives the URL of a database that nobody has used, ``writes_held`` keeps every write
    to it waiting, as another writer would that takes its time.
    """

    name: str
    fresh: Callable[[Path], AbstractContextManager[str]]
    writes_held: Callable[[str], AbstractContextManager[None]]


@contextmanager
def _fresh_sqlite(folder: Path) -> Iterator[str]:
    yield f"sqlite:///{folder / 'plants.db'}"


@contextmanager
def _sqlite_held(url: str) -> Iterator[None]:
    with open_lock(database_path(url)) as lock, lock.held():
        yield


@contextmanager
def _postgres_held(url: str) -> Iterator[None]:
    with closing(psycopg.connect(url)) as connection:
        connection.execute("LOCK TABLE revisions IN EXCLUSIVE MODE")
        yield


SQLITE = Kind("sqlite", _fresh_sqlite, _sqlite_held)


def postgres_kind(server: PostgresServer) -> Kind:
    """Databases of this server."""
    return Kind("postgres", lambda _folder: server.fresh(), _postgres_held)
