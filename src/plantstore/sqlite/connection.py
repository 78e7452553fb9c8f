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

from plantstore.core.clock import now
from plantstore.core.errors import SetupError
from plantstore.sql.migrations import (
    Applied,
    Migration,
    find_pending,
    load_migrations,
    require_current,
)
from plantstore.sqlite.file_lock import FileLock
from plantstore.sqlite.files import create_file, describe_obstacle

logger = logging.getLogger(__name__)

# Older ones can corrupt a database when a WAL file is reset while another connection reads it.
MIN_SQLITE = (3, 51, 3)
BUSY_TIMEOUT_MS = 5000
_RESTORE_TIMEOUT = 1.0
_URL_PREFIX = "sqlite:///"
_ADVICE = (
    "name it with --database or PLANTSTORE_DATABASE; `plantstore serve`, `migrate` and "
    "`store create` create one"
)

# WAL with FULL: a commit is on disk when it returns; on macOS only fullfsync flushes the drive's
# own cache. The size limit shrinks a WAL file that has grown during a long read.
_SETTINGS = f"""
    PRAGMA busy_timeout = {BUSY_TIMEOUT_MS};
    PRAGMA synchronous = FULL;
    PRAGMA fullfsync = ON;
    PRAGMA checkpoint_fullfsync = ON;
    PRAGMA foreign_keys = ON;
    PRAGMA journal_size_limit = {64 * 2**20};
"""


def database_path(url: str) -> Path:
    """The file of a URL such as ``sqlite:///plants.db`` or ``sqlite:////var/lib/plants.db``.

    :raises SetupError: the URL names no file.
    """
    path = url.removeprefix(_URL_PREFIX)
    if not url.startswith(_URL_PREFIX) or not path or path == ":memory:" or path.endswith("/"):
        raise SetupError(
            f"{url!r} is not a database URL: write sqlite:///plants.db for a file in this folder, "
            "or sqlite:////var/lib/plantstore/plants.db for an absolute path"
        )
    try:
        # SQLite names its other files after the target of a link, and so do we.
        file = Path(path).expanduser().resolve()
        str(file).encode()  # SQLite accepts only UTF-8
    except (OSError, RuntimeError, ValueError) as error:
        raise SetupError(f"{url!r} does not name a file: {error}") from None
    return file


def connect(path: Path, cache_mib: int = 2) -> apsw.Connection:
    """A connection to an existing file, with the settings that every connection needs.

    It caches at most ``cache_mib`` MiB of pages, until another connection commits.
    """
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
    # Without it, SQLite prepares a statement again for each bound value, since it is built with
    # statistics on values: the look-up of a caller would take 4 times as long.
    connection.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)
    connection.execute(_SETTINGS).fetchall()  # else it stops at the first row
    connection.pragma("cache_size", -1024 * cache_mib)
    return connection


def connect_in_place(path: Path, cache_mib: int = 2) -> apsw.Connection:
    """As ``connect``, but until the connection is closed no restore replaces the file.

    In WAL mode SQLite holds a lock from the first read on; until then it is held here.
    """
    with open_lock(path) as lock:
        # Who holds it for longer is not a restore, which replaces the file in a moment.
        is_held = lock.try_acquire(_RESTORE_TIMEOUT)
        connection = connect(path, cache_mib)
        connection.execute("SELECT count(*) FROM sqlite_schema").fetchall()
        if is_held:
            lock.release()
        return connection


def close_at_stop(connection: apsw.Connection) -> None:
    """Close a connection; the last one moves the WAL into the database, if it can."""
    try:
        connection.close()
    except apsw.Error as error:  # the next start reads the WAL
        logger.warning("the WAL was not moved into the database at the stop: %s", error)


def open_lock(path: Path) -> FileLock:
    """The lock that every process takes around a write to this database."""
    return FileLock(path)


def ensure_file(path: Path) -> bool:
    """Create the file, without tables, if it is missing; whether this call created it.

    :raises SetupError: it cannot be created; the message says what to do.
    """
    with explained(path):
        return not path.exists() and create_file(path)


def require_file(path: Path, advice: str = _ADVICE) -> None:
    """Refuse a missing file; ``advice`` says what to do.

    :raises SetupError: it does not exist.
    """
    with explained(path):
        if not path.exists():
            raise SetupError(f"there is no database {path}: {advice}")


def prepare(path: Path) -> None:
    """Give a file without tables its tables; refuse a schema of another version.

    A missing file is not created: for one that was moved away for a moment, SQLite would delete
    the WAL, and with it writes.

    :raises SetupError: the file or its schema cannot be used; the message says what to do.
    """
    require_file(path)
    with explained(path):
        _require_writable(path)
        with closing(connect_in_place(path)) as connection:
            if _is_new(connection):
                with open_lock(path) as lock, lock.held():
                    _migrate(connection)
            require_schema(connection)
            _enable_wal(connection)


def migrate(path: Path, *, dry_run: bool) -> Sequence[Migration]:
    """Apply and return the migrations that the file lacks; with ``dry_run`` only return them.

    :raises SetupError: the file or its schema cannot be used; the message says what to do.
    """
    with explained(path):
        if dry_run and not path.exists():
            return _migrations()
        ensure_file(path)
        if not dry_run:
            _require_writable(path)
        with closing(connect(path) if dry_run else connect_in_place(path)) as connection:
            _is_new(connection)
            if dry_run:
                return find_pending(_migrations(), _applied(connection))
            with open_lock(path) as lock, lock.held():
                return _migrate(connection)


def require_schema(connection: apsw.Connection) -> None:
    """Refuse a schema that is not this program's.

    :raises SetupError: it is older or newer, missing, or another program's.
    """
    require_tables(connection)
    require_current(find_pending(_migrations(), _applied(connection)))


def require_tables(connection: apsw.Connection) -> None:
    """Refuse a file without tables, or with those of another program.

    :raises SetupError: it is one.
    """
    if _is_new(connection):
        raise SetupError("the database has no tables yet: run `plantstore migrate`")


def warn_of_permissions(path: Path) -> None:
    """Log a warning where users other than the file's owner may open it."""
    if path.stat().st_mode & 0o077:
        logger.warning("users other than its owner may open %s: chmod 600 %s", path, path)


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Turn errors of the file into sentences."""
    require_sqlite_version()
    try:
        yield
    except (OSError, apsw.Error) as error:
        if isinstance(error, apsw.CantOpenError):
            require_file(path)  # it may have gone since it was looked for
        raise SetupError(f"cannot use the database {path}: {find_reason(error, path)}") from error


def find_reason(error: OSError | apsw.Error, path: Path) -> str:
    """What went wrong with the database's files, and which permissions are missing, if any."""
    reason = error.strerror if isinstance(error, OSError) else str(error)
    if isinstance(error, OSError) and error.filename not in (None, str(path)):
        reason = f"{error.filename}: {reason}"
    return f"{reason}{describe_obstacle(path)}"


def require_sqlite_version() -> None:
    """Refuse a SQLite with known bugs.

    :raises SetupError: the SQLite that apsw brings is too old.
    """
    version = apsw.sqlite_lib_version()
    if tuple(int(part) for part in version.split(".")) < MIN_SQLITE:
        needed = ".".join(map(str, MIN_SQLITE))
        raise SetupError(
            f"SQLite {version} can corrupt databases; {needed} or newer is needed: "
            "install a newer apsw"
        )


def _require_writable(path: Path) -> None:
    """Refuse a read-only file: SQLite would leave files beside it, which are read-only for good."""
    if not os.access(path, os.W_OK):
        raise SetupError(f"cannot write to the database {path}{describe_obstacle(path)}")


def _is_new(connection: apsw.Connection) -> bool:
    """Whether the file has no tables yet.

    :raises SetupError: they are those of another program.
    """
    tables = connection.execute("SELECT count(*) FROM sqlite_schema").get
    if tables and not _applied(connection):
        raise SetupError(
            "the file is a SQLite database of another program: give another one with --database"
        )
    return not tables


def _enable_wal(connection: apsw.Connection) -> None:
    mode = connection.execute("PRAGMA journal_mode = WAL").get
    if mode != "wal":
        raise SetupError("the file system has no WAL support (a network drive?): use a local disk")


def _migrations() -> Sequence[Migration]:
    return load_migrations("plantstore.sqlite")


def _applied(connection: apsw.Connection) -> Sequence[Applied]:
    if not connection.execute(
        "SELECT count(*) FROM sqlite_schema WHERE name = 'schema_migrations'"
    ).get:
        return []
    rows = connection.execute("SELECT * FROM schema_migrations")
    return [Applied(*row) for row in rows]


def _migrate(connection: apsw.Connection) -> Sequence[Migration]:
    """Apply and return what is pending: in one transaction, which a kill undoes."""
    connection.execute("PRAGMA auto_vacuum = INCREMENTAL")  # of a new file
    _enable_wal(connection)
    pending = find_pending(_migrations(), _applied(connection))
    with connection:
        for migration in pending:
            connection.execute(migration.sql)
            recorded = (migration.number, migration.name, migration.checksum)
            connection.execute(
                "INSERT INTO schema_migrations VALUES (?, ?, ?, ?, ?)",
                (*recorded, migration.compatible_since, now()),
            )
    return pending
