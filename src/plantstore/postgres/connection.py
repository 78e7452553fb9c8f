"""The command line's connections to PostgreSQL, and the version of the schema."""

import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from itertools import groupby

import psycopg
from psycopg import AsyncConnection, Connection, ConnectionInfo, RawCursor, errors

from plantstore.core.errors import SetupError
from plantstore.postgres.hosts import find_host
from plantstore.sql import migrations
from plantstore.sql.migrations import Applied, Migration
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
_READ_MIGRATIONS = "SELECT * FROM schema_migrations"


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
    return migrations.require_schema(_PACKAGE, _read_applied(connection))


async def require_schema_of(connection: AsyncConnection) -> str | None:
    """As ``require_schema``, without blocking the event loop."""
    _require_server(connection.info)
    applied: list[Applied] = []
    with suppress(errors.UndefinedTable):
        cursor = await connection.execute(_READ_MIGRATIONS)
        applied = [Applied(*row) for row in await cursor.fetchall()]
    return migrations.require_schema(_PACKAGE, applied)


def migrate(url: str, *, dry_run: bool, distribution: str | None = None) -> Sequence[Migration]:
    """Apply and return the migrations that the database lacks; with ``dry_run`` only return them.

    ``distribution`` is the feature that is to distribute the tables from now on. If several run at
    once, one applies them and the others wait for it.

    :raises SetupError: the database cannot be migrated; the message says what to do.
    """
    with explained(), connect(url) as connection:
        if dry_run:
            return migrations.find_missing(_PACKAGE, _read_applied(connection))
        with connect(url) as guard, guard.transaction():
            guard.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
            _wait_until(guard, _LOCK)
            _wait_until(connection, _NO_INDEX_IS_BUILT)
            applied = _read_applied(connection)
            sql = load_queries(_PACKAGE, distribution or migrations.find_distribution(applied))
            missing = migrations.find_missing(_PACKAGE, applied, distribution)
            for is_outside, group in groupby(missing, lambda one: one.is_outside_transaction):
                _apply(connection, sql, group, is_outside=is_outside)
        return missing


def _wait_until(connection: Connection, condition: str) -> None:
    while connection.execute(condition).fetchone() != (True,):
        time.sleep(_PAUSE)


def _read_applied(connection: Connection) -> Sequence[Applied]:
    try:
        return [Applied(*row) for row in connection.execute(_READ_MIGRATIONS)]
    except errors.UndefinedTable:
        return []


def _apply(
    connection: Connection, sql: dict[str, str], group: Iterable[Migration], *, is_outside: bool
) -> None:
    """One transaction for all, so that a lost connection leaves the old schema; or none."""
    with nullcontext() if is_outside else connection.transaction():
        if not is_outside:
            connection.execute(sql["begin_migration"].encode())
        for migration in group:
            for statement in migration.statements if is_outside else [migration.sql]:
                connection.execute(statement.encode())
            connection.execute(sql["record_migration"].encode(), migration.record)


def _first_line(error: psycopg.Error) -> str:
    return str(error).strip().partition("\n")[0]
