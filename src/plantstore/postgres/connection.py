"""The command line's connections to PostgreSQL, and the version of the schema."""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby

import psycopg
from psycopg import AsyncConnection, Connection, ConnectionInfo, RawCursor, errors

from plantstore.core.clock import now
from plantstore.core.errors import SetupError
from plantstore.postgres.hosts import find_host
from plantstore.sql.migrations import (
    Applied,
    Migration,
    find_distribution,
    find_pending,
    load_migrations,
    require_current,
)
from plantstore.sql.queries import load_queries

_PACKAGE = "plantstore.postgres"
_OLDEST_VERSION = 15  # Debian 12's; the oldest one that the tests are run on
_PAUSE = 0.1  # seconds between two attempts
# With any number that no other program uses. To wait for it, or to have parameters, would keep a
# snapshot: an index that is built waits until older ones end.
_LOCK = "SELECT pg_try_advisory_xact_lock(7091938230911)"
# The server goes on with what a killed process was building.
_NO_INDEX_IS_BUILT = """
    SELECT NOT EXISTS
        (SELECT FROM pg_stat_progress_create_index WHERE datname = current_database())
"""
_FIND_MIGRATIONS = "SELECT to_regclass('schema_migrations')"
_READ_MIGRATIONS = "SELECT * FROM schema_migrations"
_RECORD = (
    "INSERT INTO schema_migrations VALUES ($1, $2, $3, $4, $5) ON CONFLICT (number) "
    "DO UPDATE SET checksum = excluded.checksum, applied_at = excluded.applied_at"
)


def connect(url: str) -> Connection:
    """A connection for administration.

    :raises SetupError: it cannot be opened.
    """
    with explained():
        connection = psycopg.connect(
            find_host(url), autocommit=True, cursor_factory=RawCursor, prepare_threshold=None
        )
    try:
        _require_server(connection.info)
    except SetupError:
        connection.close()
        raise
    return connection


def _require_server(info: ConnectionInfo) -> None:
    if info.server_version < 10_000 * _OLDEST_VERSION:
        version = info.parameter_status("server_version")
        raise SetupError(
            f"PostgreSQL {version} is too old: use PostgreSQL {_OLDEST_VERSION} or newer"
        )
    encoding = info.parameter_status("server_encoding")
    if encoding != "UTF8":
        raise SetupError(
            f"the database cannot store all names, its encoding is {encoding}: create one with "
            "CREATE DATABASE plantstore ENCODING 'UTF8' TEMPLATE template0"
        )


@contextmanager
def explained() -> Iterator[None]:
    """Turn errors of the database into sentences."""
    try:
        yield
    except errors.InsufficientPrivilege as error:
        raise SetupError(f"the database role lacks a permission: {_first_line(error)}") from error
    except psycopg.Error as error:
        raise SetupError(f"cannot use the database: {_first_line(error)}") from error


def require_schema(connection: Connection) -> str | None:
    """Refuse a schema of another version. The feature that distributes its tables, if any does.

    :raises SetupError: it is older, newer or missing; the message says what to do.
    """
    return _require(_applied(connection))


async def require_schema_of(connection: AsyncConnection) -> str | None:
    """As ``require_schema``, without blocking the event loop."""
    _require_server(connection.info)
    cursor = await connection.execute(_FIND_MIGRATIONS)
    if await cursor.fetchone() == (None,):
        return _require([])
    cursor = await connection.execute(_READ_MIGRATIONS)
    return _require([Applied(*row) for row in await cursor.fetchall()])


def _require(applied: Sequence[Applied]) -> str | None:
    if not applied:
        raise SetupError("the database has no tables yet: run `plantstore migrate` first")
    distribution = find_distribution(applied)
    require_current(find_pending(load_migrations(_PACKAGE, distribution), applied))
    return distribution


def migrate(url: str, *, dry_run: bool, distribution: str | None = None) -> Sequence[Migration]:
    """Apply and return the migrations that the database lacks; with ``dry_run`` only return them.

    ``distribution`` is the feature that is to distribute the tables from now on. If several run at
    once, one applies them and the others wait for it.

    :raises SetupError: the database cannot be migrated; the message says what to do.
    """
    with explained(), connect(url) as connection:
        if dry_run:
            applied = _applied(connection)
            return find_pending(load_migrations(_PACKAGE, find_distribution(applied)), applied)
        with connect(url) as guard, guard.transaction():
            guard.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
            _wait_until(guard, _LOCK)
            _wait_until(connection, _NO_INDEX_IS_BUILT)
            applied = _applied(connection)
            distribution = distribution or find_distribution(applied)
            begin = load_queries(_PACKAGE, distribution)["begin_migration"].encode()
            pending = find_pending(load_migrations(_PACKAGE, distribution), applied)
            for is_outside, group in groupby(pending, lambda one: one.is_outside_transaction):
                if is_outside:
                    _apply_outside(connection, list(group))
                else:
                    _apply(connection, begin, list(group))
        return pending


def _wait_until(connection: Connection, condition: str) -> None:
    while connection.execute(condition).fetchone() != (True,):
        time.sleep(_PAUSE)


def _applied(connection: Connection) -> Sequence[Applied]:
    found = connection.execute(_FIND_MIGRATIONS).fetchone()
    if found == (None,):
        return []
    rows = connection.execute(_READ_MIGRATIONS)
    return [Applied(*row) for row in rows]


def _apply(connection: Connection, begin: bytes, migrations: Sequence[Migration]) -> None:
    """One transaction for all, so that a lost connection leaves the old schema intact."""
    with connection.transaction():
        connection.execute(begin)
        for migration in migrations:
            connection.execute(migration.sql.encode())
            _record(connection, migration)


def _apply_outside(connection: Connection, migrations: Sequence[Migration]) -> None:
    for migration in migrations:
        for statement in migration.statements:
            connection.execute(statement.encode())
        _record(connection, migration)


def _record(connection: Connection, migration: Migration) -> None:
    recorded = (migration.number, migration.name, migration.checksum)
    connection.execute(_RECORD, (*recorded, migration.compatible_since, now()))


def _first_line(error: psycopg.Error) -> str:
    return str(error).strip().partition("\n")[0]
