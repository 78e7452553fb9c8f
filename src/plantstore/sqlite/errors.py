"""What SQLite's errors mean for a batch, for the process, and for the message of ``/readyz``.

Invariant: a message has the file's name, but no other part of its path.
"""

import logging

import apsw

from plantstore.core.errors import DatabaseUnavailableError
from plantstore.core.failures import FailureLog

read_failures = FailureLog(logging.getLogger(__name__), "reads work again")

# After a failed fsync the kernel may drop the pages and report the next fsync as good.
_BREAKING = frozenset({apsw.SQLITE_IOERR_FSYNC, apsw.SQLITE_IOERR_DIR_FSYNC})

# After these, a commit may be in the WAL but not in its index: recovery after a crash would find
# it.
_UNSURE = frozenset({apsw.SQLITE_IOERR_SHMMAP, apsw.SQLITE_IOERR_SHMSIZE, apsw.SQLITE_NOMEM})


class FilesLostError(apsw.Error):
    """An open file was replaced, removed or became unreachable: writes to it would be lost."""


# These fail a whole batch; any other error fails one write.
OF_THE_DATABASE = (
    FilesLostError,
    apsw.BusyError,
    apsw.CantOpenError,
    apsw.CorruptError,
    apsw.FullError,
    apsw.IOError,
    apsw.LockedError,
    apsw.NoMemError,
    apsw.NotADBError,
    apsw.ReadOnlyError,
    apsw.SchemaChangeError,
)

_OF_WRITES: dict[type[apsw.Error], str] = {
    apsw.FullError: "the disk is full",
    apsw.ReadOnlyError: "{name} or a file beside it is read-only for this user",
    apsw.CantOpenError: "{name} or a file beside it cannot be opened",
    apsw.BusyError: "another process keeps it locked",
    apsw.IOError: "the disk fails",
    apsw.SchemaChangeError: "a newer program migrated {name}: restart with that program",
}
REPLACED = "{name} was replaced or removed while the service runs: restart it"
BROKEN = "the database is broken, the service is stopping: its log has the cause"
BLOCKED = "the database cannot be written: the disk or another process's lock blocks it"


def explain_write(error: apsw.Error, name: str) -> str:
    """The message for an error of a write to the file of this name."""
    if isinstance(error, FilesLostError):
        return str(error)
    return f"the database cannot be written: {describe_write(error, name)}"


def describe_write(error: apsw.Error, name: str) -> str:
    """The reason for that message; some errors have no text of SQLite."""
    return _OF_WRITES.get(type(error), str(error)).format(name=name)


def unavailable(error: apsw.Error) -> DatabaseUnavailableError:
    """The port's error for a read that failed in SQLite."""
    read_failures.add("a read failed: %s", error)
    return DatabaseUnavailableError()


def breaks(error: apsw.Error) -> bool:
    """Whether the process must stop."""
    # Corruption has many codes, one of them for an index.
    return isinstance(error, apsw.CorruptError) or _code_of(error) in _BREAKING


def is_unsure(error: apsw.Error) -> bool:
    """Whether a batch that failed with this error may have been committed."""
    return breaks(error) or _code_of(error) in _UNSURE


def _code_of(error: apsw.Error) -> int:
    return getattr(error, "extendedresult", 0)  # missing in apsw's type stubs
