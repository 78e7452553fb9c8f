"""Reads and checks a SQLite file without changing it.

Invariant: the file, its permissions and the list of files in its folder stay the same, whether a
service uses the database, was killed, or never ran.
"""

import os
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from errno import EACCES
from pathlib import Path
from tempfile import TemporaryFile

import apsw

from plantstore.core.database import Row
from plantstore.core.errors import SetupError
from plantstore.sql.checks import Check, run_check
from plantstore.sql.migrations import load_migrations
from plantstore.sql.queries import load_queries
from plantstore.sqlite.connection import BUSY_TIMEOUT_MS, explained, require_schema
from plantstore.sqlite.files import describe_obstacle

_MAX_DAMAGE = 20
_STEPS = 100_000  # of SQLite's virtual machine: some milliseconds
_PROBE_BYTES = 2**20  # more than a large transaction takes


def check_file(path: Path) -> Iterator[Check]:
    """Whether the file is intact, its schema is up to date, and it accepts writes."""
    writable = run_check("writable", _try_folder, path)
    try:
        connection = open_to_read(path, can_write=writable.ok)
    except SetupError as error:
        yield Check("integrity", ok=False, detail=str(error))
    else:
        with closing(connection):
            integrity = run_check("integrity", _check_integrity, path, connection)
            yield integrity
            if integrity.ok:  # else the next checks may fail for the same reason
                yield run_check("schema", _check_schema, path, connection)
                if writable.ok:
                    writable = run_check("writable", _try_transaction, path, connection)
    yield writable


def open_to_read(path: Path, *, can_write: bool | None = None) -> apsw.Connection:
    """A read-only connection, whose long queries can be interrupted by a signal.

    ``can_write`` says whether this user may write to the file.

    :raises SetupError: the file cannot be opened.
    """
    if can_write is None:
        can_write = os.access(path, os.W_OK) and os.access(path.parent, os.W_OK | os.X_OK)
    has_wal, has_index = (path.with_name(path.name + end).exists() for end in ("-wal", "-shm"))
    # SQLite must not create files that it cannot delete at the end.
    immutable = int(not can_write and not has_wal and not has_index)
    flags = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_URI
    with explained(path):
        connection = apsw.Connection(f"{path.as_uri()}?immutable={immutable}", flags=flags)
        connection.set_busy_timeout(BUSY_TIMEOUT_MS)
        if has_wal:  # else closing the last connection checkpoints the WAL
            connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        if has_wal and not has_index:  # nobody uses this copy: keep the index in memory
            connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        make_interruptible(connection)
        return connection


def make_interruptible(connection: apsw.Connection) -> None:
    """Let Python handle signals, such as Ctrl-C, while a query runs."""
    connection.set_progress_handler(lambda: False, _STEPS)


class SQLiteReader:
    """Runs named queries on a connection that only reads."""

    def __init__(self, path: Path, connection: apsw.Connection) -> None:
        self.location = str(path)
        self._path = path
        self._connection = connection
        self._sql = load_queries("plantstore.sqlite")

    def query(self, name: str, *arguments: object) -> Sequence[Row]:
        with explained(self._path):
            return self._connection.execute(self._sql[name], arguments).fetchall()

    def find_damage(self) -> Iterator[str]:
        for (damage,) in self._connection.execute(f"PRAGMA integrity_check({_MAX_DAMAGE})"):
            if damage != "ok":
                yield f"the file is corrupt: {damage}"
        for table, _, parent, _ in self._connection.execute("PRAGMA foreign_key_check"):
            yield f"a row of {table} refers to a missing row of {parent}"


@contextmanager
def reading(path: Path) -> Iterator[SQLiteReader]:
    """A reader that sees the file as it is at the start of the block.

    :raises SetupError: the file cannot be read, or has another schema.
    """
    with closing(open_to_read(path)) as connection:
        with explained(path):
            require_schema(connection)
            connection.execute("BEGIN")
        yield SQLiteReader(path, connection)


def _check_integrity(path: Path, connection: apsw.Connection) -> str:
    with explained(path):
        reason = connection.execute("PRAGMA quick_check(1)").get
    if reason != "ok":
        raise SetupError(f"{path} is corrupt, restore a backup: {reason}")
    return f"{path} is intact"


def _check_schema(path: Path, connection: apsw.Connection) -> str:
    with explained(path):
        require_schema(connection)
        require_unchanged_schema(connection)
    return "its schema is up to date"


def require_unchanged_schema(connection: apsw.Connection) -> None:
    """Refuse triggers, and tables and indexes of ours that differ from the migrations.

    Other objects, such as an operator's own index, change no data.

    :raises SetupError: another program has changed them.
    """
    migrations, theirs = load_migrations("plantstore.sqlite"), _read_schema(connection)
    changed = {definition for definition in theirs if definition[0] == "trigger"}
    # Tables of a newer, compatible program are not known here.
    if connection.execute("SELECT count(*) FROM schema_migrations").get == len(migrations):
        with closing(apsw.Connection(":memory:")) as made:
            made.execute(";".join(migration.sql for migration in migrations))
            changed |= _read_schema(made) - theirs
    if changed:
        names = ", ".join(sorted(f"{kind} {name}" for kind, name, _ in changed))
        raise SetupError(
            f"another program has changed the schema: {names}; undo that, or use another backup"
        )


def _read_schema(connection: apsw.Connection) -> set[tuple[str, str, str]]:
    rows = connection.execute("SELECT type, name, coalesce(sql, '') FROM sqlite_schema")
    return {(kind, name, " ".join(sql.split())) for kind, name, sql in rows}


def _try_folder(path: Path) -> str:
    """Write to an unnamed file in the folder: if that fails, SQLite would fail too."""
    try:
        mode = path.stat().st_mode
        if not (mode & 0o200 and os.access(path, os.W_OK)):  # root may, the service may not
            raise PermissionError(EACCES, f"its mode is {mode & 0o777:04o}")
        lock = path.with_name(f"{path.name}-lock")
        if lock.exists() and not os.access(lock, os.R_OK | os.W_OK):
            raise PermissionError(EACCES, os.strerror(EACCES))
        with TemporaryFile(dir=path.parent) as probe:
            probe.write(bytes(_PROBE_BYTES))
            probe.flush()
            os.fsync(probe.fileno())
    except OSError as error:
        reason = f"{error.strerror}{describe_obstacle(path)}"
        raise SetupError(f"{path} is not writable: {reason}") from None
    return f"{path} accepts writes"


def _try_transaction(path: Path, connection: apsw.Connection) -> str:
    with explained(path):
        if connection.readonly("main"):
            raise SetupError(f"{path} is not writable{describe_obstacle(path)}")
        connection.execute("BEGIN IMMEDIATE; ROLLBACK")
    return f"{path} accepts writes"
