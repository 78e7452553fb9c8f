"""The composition root: the adapter for a database URL, and the application around it.

An adapter is imported when a URL needs it: the start is fast because it imports little.
"""

import gc
import re
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from functools import partial
from socket import socket
from typing import TYPE_CHECKING, Any

from plantstore.database import Database
from plantstore.errors import SetupError
from plantstore.features import FEATURES
from plantstore.settings import Settings

if TYPE_CHECKING:
    from plantstore.http.app import App
    from plantstore.sql.checks import Check
    from plantstore.sql.copying.copying import Copy
    from plantstore.sql.copying.one_store import StoreCopy
    from plantstore.sql.migrations import Migration
    from plantstore.sql.session import OpenSession, Session
    from plantstore.sqlite.staging import Staging


async def open_database(settings: Settings) -> Database:
    """The database for serving, on the event loop that will use it."""
    if is_postgres(settings.database):
        from plantstore.postgres.database import PostgresDatabase

        database = PostgresDatabase(settings)
        await database.open()
        return database
    from plantstore.sqlite.database import SQLiteDatabase

    return SQLiteDatabase(settings)


def open_staging() -> "Staging":
    """A place on disk for the plants of a file, for any database."""
    from plantstore.sqlite.staging import Staging

    return Staging()


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


@contextmanager
def open_copy(
    source_url: str, target_url: str, store: str | None = None
) -> "Iterator[Copy | StoreCopy]":
    """A copy of a database, or of one store, to another, within a snapshot of the first.

    A missing SQLite file is created for the copy.

    :raises SetupError: one of them cannot be used, or they are the same; there is no such store.
    """
    from plantstore.sql.copying.copying import Copy
    from plantstore.sql.copying.one_store import StoreCopy

    require_database(source_url, "name another source")
    with (
        closing(open_session(source_url)) as source,
        closing(_open_target(target_url)) as target,
        source.snapshot(),
    ):
        if source.location == target.location:
            raise SetupError(f"both URLs name {source.location}: give two databases")
        yield Copy(source, target) if store is None else StoreCopy(source, target, store)


def _open_target(url: str) -> "Session":
    create_database(url)
    return open_session(url)


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
    from plantstore.sqlite.connection import database_path, prepare

    prepare(database_path(url))


@contextmanager
def recorded_address(url: str, address: str) -> Iterator[None]:
    """Have commands find the address of the page within the block, where the database is a file.

    On PostgreSQL services on several machines share the database, each with its own address.
    """
    if is_postgres(url):
        yield
        return
    from plantstore.sqlite.address import recorded_address as recorded
    from plantstore.sqlite.connection import database_path

    with recorded(database_path(url), address):
        yield


def find_address(url: str) -> str | None:
    """The address that a running service has recorded."""
    if is_postgres(url):
        return None
    from plantstore.sqlite.address import find_address as find
    from plantstore.sqlite.connection import database_path

    return find(database_path(url))


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


def migrate(url: str, *, dry_run: bool, citus: bool = False) -> "Sequence[Migration]":
    """Migrate the database to this program's schema; returns the migrations that it lacked.

    With ``citus`` its tables are distributed over the workers.
    """
    if is_postgres(url):
        from plantstore.postgres.connection import migrate

        return migrate(url, dry_run=dry_run, citus=citus)
    if citus:
        raise SetupError("only a database of PostgreSQL can be distributed by Citus")
    from plantstore.sqlite import connection

    return connection.migrate(connection.database_path(url), dry_run=dry_run)


def serve(settings: Settings, listeners: list[socket]) -> bool:
    """Serve until a signal or a broken database stops it; whether it was a signal.

    :raises SetupError: the database, or the address for metrics, cannot be used.
    """
    from plantstore.server.serve import serve as run

    with ExitStack() as stack:
        for surround in _load("surrounds"):
            stack.enter_context(surround(settings))
        if settings.workers > 1:
            _import_before_forks(settings)
        return run(partial(_create_app, settings, time.time()), settings, listeners)


def _load(part: str) -> "Iterator[Any]":
    """Import this part of each feature that has it."""
    for feature in FEATURES:
        if getattr(feature, part) is not None:
            yield feature.load(getattr(feature, part))


def _import_before_forks(settings: Settings) -> None:
    """Import what serves: workers share it, and those that start later have the same version."""
    import plantstore.http.app

    list(_load("adds_to"))
    if is_postgres(settings.database):
        import plantstore.postgres.database
    else:
        import plantstore.sqlite.database  # noqa: F401 - the last of them


async def _create_app(settings: Settings, began: float, number: int) -> "App":
    """The application on its database, for a service's process of this number, from 0 on."""
    from plantstore.http.app import App, Process
    from plantstore.last_use import keep_last_use

    database = await open_database(settings)
    open_session = find_open_session(settings.database)
    app = App(database, settings, open_session, Process(number, began))
    for add in _load("adds_to"):
        add(app)
    app.run_beside(keep_last_use(database))
    gc.freeze()  # objects of the start stay alive: no collection needs to look at them
    return app


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
