"""Connections of the command line, and the version of the schema.

In a migration with a line ``-- outside-transaction``, each statement is a transaction of its own,
as ``CREATE INDEX CONCURRENTLY`` must be. After a kill all of them run again, so the first statement
must drop what an interrupted run left behind.

``functions.sql`` is migration 0. A feature that distributes the tables has a ``distribute.sql``:
migration -1, with the feature's name, in databases that it distributed.
"""

import re
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from itertools import groupby

import psycopg
from psycopg import AsyncConnection, Connection, ConnectionInfo, RawCursor, errors

from plantstore.core.errors import SetupError
from plantstore.postgres.hosts import find_host
from plantstore.sql import migrations
from plantstore.sql.migrations import Applied, Migration, find_pending, refuse_to_stop
from plantstore.sql.queries import folder_of, load_queries

_PACKAGE = "plantstore.postgres"
_OUTSIDE_LINE = re.compile(r"^-- outside-transaction$", re.MULTILINE)
_FUNCTIONS, _DISTRIBUTION = 0, -1  # numbers of migrations that run again after a change
_OLDEST = 15  # the version of Debian 12, and the oldest that is tested
_PAUSE = 0.1  # seconds between two attempts
# An arbitrary number. Waiting for the lock, or parameters, would hold a snapshot, and building an
# index waits for older snapshots to end.
_LOCK = "SELECT pg_try_advisory_xact_lock(7091938230911)"
# The server goes on building an index after its client was killed.
_NO_INDEX_IS_BUILT = """
    SELECT NOT EXISTS
        (SELECT FROM pg_stat_progress_create_index WHERE datname = current_database())
"""
_PROGRAMS = """
    SELECT application_name, count(*) FROM pg_stat_activity
    WHERE datname = current_database() AND application_name ~ '^plantstore( .* schema \\d+)?$'
        AND pid <> pg_backend_pid()
    GROUP BY application_name ORDER BY application_name
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
    if info.server_version < 10_000 * _OLDEST:
        version = info.parameter_status("server_version")
        raise SetupError(f"PostgreSQL {version} is too old: use PostgreSQL {_OLDEST} or newer")
    if (encoding := info.parameter_status("server_encoding")) != "UTF8":
        raise SetupError(
            f"the database cannot store all names, its encoding is {encoding}: create one with "
            "CREATE DATABASE plantstore ENCODING 'UTF8' TEMPLATE template0"
        )


@contextmanager
def explained() -> Iterator[None]:
    """Raise errors of the database as SetupErrors."""
    try:
        yield
    except psycopg.Error as error:
        reason, _, _ = str(error).strip().partition("\n")
        if isinstance(error, errors.InsufficientPrivilege):
            raise SetupError(f"the database role lacks a permission: {reason}") from error
        advice = "" if error.sqlstate else "; check that PostgreSQL runs there, and the URL"
        raise SetupError(f"cannot use the database: {reason}{advice}") from error


def require_schema(applied: Sequence[Applied]) -> str | None:
    """Refuse a schema of another version; returns the feature that distributes the tables, if any.

    :raises SetupError: it is older, newer or missing; the message says what to do.
    """
    distribution = _find_distribution(applied)
    migrations.require_schema(_load(distribution), applied)
    return distribution


async def require_schema_of(connection: AsyncConnection) -> str | None:
    """See ``require_schema``; does not block the event loop."""
    _require_server(connection.info)
    applied: list[Applied] = []
    with suppress(errors.UndefinedTable):
        cursor = await connection.execute(_READ_MIGRATIONS)
        applied = [Applied(*row) for row in await cursor.fetchall()]
    return require_schema(applied)


def _find_distribution(applied: Sequence[Applied]) -> str | None:
    return next((row.name for row in applied if row.number == _DISTRIBUTION), None)


def _load(distribution: str | None) -> Sequence[Migration]:
    """All migrations: the numbered files, the functions, and a feature's distribution."""
    folder = folder_of(_PACKAGE)
    functions = (folder / "functions.sql").read_text("utf-8")
    loaded = [*migrations.load_migrations(_PACKAGE), Migration(_FUNCTIONS, "functions", functions)]
    if distribution is not None:
        file = folder.parent / "features" / distribution / "distribute.sql"
        loaded.append(Migration(_DISTRIBUTION, distribution, file.read_text("utf-8")))
    return loaded


def find_missing(url: str) -> Sequence[Migration]:
    """The migrations that the database lacks.

    :raises SetupError: the database cannot be used.
    """
    with explained(), connect(url) as connection:
        applied = read_applied(connection)
        return find_pending(_load(_find_distribution(applied)), applied)


def migrate(
    url: str, *, stops_older: bool = False, distribution: str | None = None
) -> Sequence[Migration]:
    """Apply and return the migrations that the database lacks.

    Without ``stops_older``, a migration that stops older programs is refused while one is
    connected. ``distribution`` is the feature that distributes the tables from now on. If several
    processes migrate at once, the first applies the migrations and the others wait.

    :raises SetupError: the database cannot be migrated; the message says what to do.
    """
    with explained(), connect(url) as connection:
        with connect(url) as guard, guard.transaction():
            guard.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
            _wait_until(guard, _LOCK)
            _wait_until(connection, _NO_INDEX_IS_BUILT)
            applied = read_applied(connection)
            distribution = distribution or _find_distribution(applied)
            sql = load_queries(_PACKAGE, distribution)
            pending = find_pending(_load(distribution), applied)
            if not stops_older:
                _require_no_older(connection, pending)
            for is_outside, group in groupby(
                pending, lambda migration: bool(_OUTSIDE_LINE.search(migration.sql))
            ):
                _apply(connection, sql, group, is_outside=is_outside)
        return pending


def _require_no_older(connection: Connection, pending: Sequence[Migration]) -> None:
    """Refuse to migrate while a connected program cannot work with one of these migrations."""
    stopping = [migration for migration in pending if migration.stops_older]
    needed = max((migration.compatible_since for migration in stopping), default=0)
    programs = [
        f"{name} ({count} connections)"
        for name, count in connection.execute(_PROGRAMS)
        if int(name.rpartition(" schema ")[2] if " schema " in name else 0) < needed
    ]
    if programs:
        reason = f"such programs are connected: {', '.join(programs)}: stop them"
        raise SetupError(refuse_to_stop(stopping, reason))


def _wait_until(connection: Connection, condition: str) -> None:
    while connection.execute(condition).fetchone() != (True,):
        time.sleep(_PAUSE)


def read_applied(connection: Connection) -> Sequence[Applied]:
    try:
        return [Applied(*row) for row in connection.execute(_READ_MIGRATIONS)]
    except errors.UndefinedTable:
        return []


def _apply(
    connection: Connection, sql: dict[str, str], group: Iterable[Migration], *, is_outside: bool
) -> None:
    """Apply all in one transaction, so that a lost connection leaves the old schema; or in none."""
    with nullcontext() if is_outside else connection.transaction():
        if not is_outside:
            connection.execute(sql["begin_migration"].encode())
        for migration in group:
            for statement in migration.sql.split(";\n") if is_outside else [migration.sql]:
                if statement.strip():
                    connection.execute(statement.encode())
            connection.execute(sql["record_migration"].encode(), migration.record)
