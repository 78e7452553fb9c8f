"""The command line's connections to PostgreSQL, and the version of the schema."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import psycopg
from psycopg import AsyncConnection, Connection, ConnectionInfo, RawCursor, errors

from plantstore.clock import now
from plantstore.errors import SetupError
from plantstore.postgres.citus.distributing import distribute, is_distributed
from plantstore.postgres.hosts import find_host
from plantstore.sql.migrations import (
    Applied,
    Migration,
    find_pending,
    load_migrations,
    require_current,
)

_OLDEST_VERSION = 15  # Debian 12's; the oldest one that the tests are run on
MIGRATION_LOCK = 7091938230911  # any number that no other program uses
_LOCK_TIMEOUT = "5s"  # a statement waiting for a table's lock blocks all later ones
_STATEMENT_TIMEOUT = "10min"
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


def require_schema(connection: Connection) -> None:
    """Refuse a schema of another version.

    :raises SetupError: it is older, newer or missing; the message says what to do.
    """
    _require(_applied(connection))


async def require_schema_of(connection: AsyncConnection) -> None:
    """As ``require_schema``, without blocking the event loop."""
    _require_server(connection.info)
    cursor = await connection.execute(_FIND_MIGRATIONS)
    if await cursor.fetchone() == (None,):
        _require([])
    cursor = await connection.execute(_READ_MIGRATIONS)
    _require([Applied(*row) for row in await cursor.fetchall()])


def _require(applied: Sequence[Applied]) -> None:
    if not applied:
        raise SetupError("the database has no tables yet: run `plantstore migrate` first")
    require_current(find_pending(_migrations(), applied))


def migrate(url: str, *, dry_run: bool, citus: bool = False) -> Sequence[Migration]:
    """Apply and return the migrations that the database lacks; with ``dry_run`` only return them.

    With ``citus``, and where that was given before, the tables are distributed. If several run at
    once, one applies them and the others wait for it.

    :raises SetupError: the database cannot be migrated; the message says what to do.
    """
    with explained(), connect(url) as connection:
        if dry_run:
            return find_pending(_migrations(), _applied(connection))
        with connection.transaction():
            connection.execute("SELECT pg_advisory_xact_lock($1)", (MIGRATION_LOCK,))
            pending = find_pending(_migrations(), _applied(connection))
            _apply(connection, pending)
            if citus or is_distributed(connection):
                distribute(connection)
        return pending


def _migrations() -> Sequence[Migration]:
    return load_migrations("plantstore.postgres")


def _applied(connection: Connection) -> Sequence[Applied]:
    found = connection.execute(_FIND_MIGRATIONS).fetchone()
    if found == (None,):
        return []
    rows = connection.execute(_READ_MIGRATIONS)
    return [Applied(*row) for row in rows]


def _apply(connection: Connection, pending: Sequence[Migration]) -> None:
    """One transaction for all, so that a lost connection leaves the old schema intact."""
    connection.execute(f"SET LOCAL lock_timeout = '{_LOCK_TIMEOUT}'")
    connection.execute(f"SET LOCAL statement_timeout = '{_STATEMENT_TIMEOUT}'")
    connection.execute("SET LOCAL citus.multi_shard_modify_mode = 'sequential'")  # if it has Citus
    for migration in pending:
        connection.execute(migration.sql.encode())
        recorded = (migration.number, migration.name, migration.checksum)
        connection.execute(_RECORD, (*recorded, migration.compatible_since, now()))


def _first_line(error: psycopg.Error) -> str:
    return str(error).strip().partition("\n")[0]
