"""Opens the SQLite file: its folder, permissions, settings and schema.

Invariant: the folder and the files that it creates are readable only by their owner, and no
connection is used on a schema that this program does not know.
"""

import logging
import os
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import apsw

from plantstore.core.errors import SetupError, UsageError
from plantstore.sql import migrations
from plantstore.sql.migrations import Applied, Migration, find_pending, load_migrations
from plantstore.sql.queries import load_queries
from plantstore.sqlite.file_lock import FileLock, unused
from plantstore.sqlite.files import create_file, describe_obstacle

logger = logging.getLogger(__name__)

BUSY_TIMEOUT_MS = 5000
_PACKAGE = "plantstore.sqlite"
_RESTORE_TIMEOUT = 1.0
_URL_PREFIX = "sqlite:///"
_ADVICE = (
    "name it with --database or PLANTSTORE_DATABASE; `plantstore serve`, `migrate` and "
    "`store create` create one"
)

# WAL with FULL: a commit is on disk when it returns; on macOS only fullfsync flushes the drive's
# own cache. The size limit truncates a WAL that grew during a long read. Deleted content is
# overwritten, so that no erased name remains; this costs less than 1 %.
_SETTINGS = f"""
    PRAGMA busy_timeout = {BUSY_TIMEOUT_MS};
    PRAGMA synchronous = FULL;
    PRAGMA fullfsync = ON;
    PRAGMA checkpoint_fullfsync = ON;
    PRAGMA foreign_keys = ON;
    PRAGMA secure_delete = ON;
    PRAGMA journal_size_limit = {64 * 2**20};
"""


def database_path(url: str) -> Path:
    """The file named by a URL such as ``sqlite:///plants.db`` or ``sqlite:////var/lib/plants.db``.

    :raises UsageError: the URL names no file.
    """
    path = url.removeprefix(_URL_PREFIX)
    if not url.startswith(_URL_PREFIX) or not path or path == ":memory:" or path.endswith("/"):
        raise UsageError(
            f"{url!r} is not a database URL: write sqlite:///plants.db for a file in this folder, "
            "or sqlite:////var/lib/plantstore/plants.db for an absolute path"
        )
    try:
        # SQLite names its other files after a link's target; so do we.
        file = Path(path).expanduser().resolve()
        str(file).encode()  # SQLite accepts only UTF-8
    except (OSError, RuntimeError, ValueError) as error:
        raise UsageError(f"{url!r} does not name a file: {error}") from None
    return file


def connect(path: Path, cache_mib: int = 2) -> apsw.Connection:
    """A connection to an existing file, with the settings that every connection needs.

    It caches up to ``cache_mib`` MiB of pages, until another connection commits.
    """
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
    # Otherwise SQLite, built with statistics on values, prepares a statement again for each bound
    # value: the lookup of a caller would take 4 times as long.
    connection.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)
    connection.execute(_SETTINGS).fetchall()  # execute alone stops at the first row
    connection.pragma("cache_size", -1024 * cache_mib)
    return connection


def open_file(path: Path, cache_mib: int = 2) -> apsw.Connection:
    """A connection to a file with this program's schema; an empty file gets the tables.

    A missing file is not created: if the file was only moved away for a moment, SQLite would delete
    its WAL, and with it writes.

    :raises SetupError: the file or its schema cannot be used; the message says what to do.
    """
    with explained(path):
        _require_writable(path)
        with closing(FileLock(path)) as lock:
            # The lock keeps a restore from replacing the file until this connection has read; then
            # the connection does. A process that holds the lock for longer is not a restore.
            lock.try_acquire(_RESTORE_TIMEOUT)
            connection = connect(path, cache_mib)
            try:
                if not read_applied(connection):
                    with lock.held():
                        _migrate(connection)
                require_schema(connection)
                _enable_wal(connection)
            except BaseException:
                connection.close()
                raise
            return connection


def find_missing(path: Path) -> Sequence[Migration]:
    """The migrations that the file lacks.

    :raises SetupError: the file or its schema cannot be used.
    """
    if not path.exists():
        return load_migrations(_PACKAGE)
    with explained(path), closing(connect(path)) as connection:
        return find_pending(load_migrations(_PACKAGE), read_applied(connection))


def migrate(path: Path, *, stops_older: bool = False) -> Sequence[Migration]:
    """Apply and return the migrations that the file lacks.

    Without ``stops_older``, a migration that stops older programs is refused while one may be
    running.

    :raises SetupError: the file or its schema cannot be used; the message says what to do.
    """
    with explained(path):
        if not path.exists():
            create_file(path)
        _require_writable(path)
        with closing(FileLock(path)) as lock, lock.held():
            stopping = [migration for migration in find_missing(path) if migration.stops_older]
            if stopping and not stops_older:
                try:
                    with unused(path):
                        pass  # the context manager refuses at once
                except SetupError as error:
                    raise SetupError(migrations.refuse_to_stop(stopping, str(error))) from None
            with closing(connect(path)) as connection:
                return _migrate(connection)


def roll_back(connection: apsw.Connection) -> None:
    """End a transaction; SQLite has ended it by itself after some errors."""
    if connection.in_transaction:
        connection.execute("ROLLBACK")


def close_at_stop(connection: apsw.Connection) -> None:
    """Close a connection; the last one moves the WAL into the database if possible."""
    try:
        connection.close()
    except apsw.Error as error:  # the next start reads the WAL
        logger.warning("the WAL was not moved into the database at the stop: %s", error)


def ensure_file(path: Path) -> bool:
    """Create the file, without tables, if it is missing; returns whether this call created it.

    Warn if users other than its owner may open an existing file.

    :raises SetupError: it cannot be created; the message says what to do.
    """
    with explained(path):
        if not path.exists() and create_file(path):
            return True
        if path.stat().st_mode & 0o077:
            logger.warning("users other than its owner may open %s: chmod 600 %s", path, path)
    return False


def require_file(path: Path, advice: str = _ADVICE) -> None:
    """Refuse a missing file, with this ``advice``.

    :raises SetupError: it does not exist.
    """
    with explained(path):
        if not path.exists():
            raise SetupError(f"there is no database {path}: {advice}")


def read_applied(connection: apsw.Connection) -> Sequence[Applied]:
    """The migrations recorded in the file; none if it has no tables.

    :raises SetupError: the tables belong to another program.
    """
    if not connection.execute("SELECT count(*) FROM sqlite_schema").get:
        return []
    if not connection.execute("PRAGMA table_list(schema_migrations)").get:
        file = connection.filename or "the file"
        raise SetupError(f"{file} is a SQLite database of another program: name another file")
    return [Applied(*row) for row in connection.execute("SELECT * FROM schema_migrations")]


def require_schema(connection: apsw.Connection) -> None:
    """Refuse a schema that is not this program's.

    :raises SetupError: it is older or newer, missing, or another program's.
    """
    migrations.require_schema(load_migrations(_PACKAGE), read_applied(connection))


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Raise errors of the file as SetupErrors."""
    try:
        yield
    except (OSError, apsw.Error) as error:
        if isinstance(error, (apsw.CantOpenError, apsw.IOError)):
            require_file(path)  # it may have disappeared since the check
        raise SetupError(f"cannot use the database {path}: {find_reason(error, path)}") from error


def find_reason(error: OSError | apsw.Error, path: Path) -> str:
    """The reason for an error of the database's files, with the missing permission, if any."""
    if isinstance(error, apsw.NotADBError):
        return "it is not a SQLite database, or encrypted or compressed; name another file"
    if os.path.isdir(path):  # noqa: PTH112 - Path's raises where a folder cannot be searched
        return "it is a folder; name a file in it"
    reason = error.strerror if isinstance(error, OSError) else str(error)
    if isinstance(error, OSError) and error.filename not in (None, str(path)):
        reason = f"{error.filename}: {reason}"
    return f"{reason}{describe_obstacle(path)}"


def _require_writable(path: Path) -> None:
    """Refuse a read-only file: SQLite would create read-only files beside it."""
    if not os.access(path, os.W_OK):
        require_file(path)
        raise SetupError(f"cannot write to the database {path}{describe_obstacle(path)}")


def _migrate(connection: apsw.Connection) -> Sequence[Migration]:
    """Apply and return pending migrations, all in one transaction."""
    missing = find_pending(load_migrations(_PACKAGE), read_applied(connection))
    connection.execute("PRAGMA auto_vacuum = INCREMENTAL")  # of a new file
    _enable_wal(connection)
    record = load_queries(_PACKAGE)["record_migration"]
    with connection:
        for migration in missing:
            connection.execute(migration.sql)
            connection.execute(record, migration.record)
    return missing


def _enable_wal(connection: apsw.Connection) -> None:
    if connection.execute("PRAGMA journal_mode = WAL").get != "wal":
        raise SetupError("the file system has no WAL support (a network drive?): use a local disk")
