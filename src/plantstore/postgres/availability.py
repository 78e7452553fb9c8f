"""What successes and failures of all connections say about the server.

Invariant: repeated failures are logged at most once a second, and their end once. A reason quotes
nothing from the server: it may be in any language and contain names of hosts and users. Only the
log has that.
"""

import asyncio
import logging
import math

import psycopg
from psycopg import errors

from plantstore.core.errors import DatabaseUnavailableError
from plantstore.core.failures import FailureLog

logger = logging.getLogger(__name__)
logging.getLogger("psycopg").setLevel(logging.ERROR)  # it warns about queries that a stop cancels

SILENT = "PostgreSQL does not respond in time"
READ_ONLY = "PostgreSQL cannot be written: it is read-only"
MIGRATED = "a newer program migrated the database: restart with that program"
_NO_CONNECTION = "there is no connection to PostgreSQL: the log says why"
_REASONS: dict[type[psycopg.Error], str] = {
    errors.ReadOnlySqlTransaction: READ_ONLY,
    errors.DiskFull: "PostgreSQL cannot be written: its disk is full",
    errors.InsufficientPrivilege: "PostgreSQL cannot be used: the role lacks a privilege",
    errors.UndefinedTable: "PostgreSQL cannot be used: a table is missing",
}


class Availability:
    """``reason`` is why the last use of the server failed, None if it did not.

    ``refusal`` is why it refused the last write, at ``refused_at``, though it was reachable;
    ``written_at`` is the time of the last accepted write, by the loop's clock. Until ``is_open`` is
    set, the schema has not been checked, and connections are not given out.
    """

    def __init__(self, *, is_open: bool) -> None:
        self._loop = asyncio.get_running_loop()
        self._failures = FailureLog(logger, "PostgreSQL works again")
        self._refusals = FailureLog(logger, "PostgreSQL takes writes again")
        self.is_open = is_open
        self.reason: str | None = None
        self.refusal: str | None = None
        self.refused_at = -math.inf
        self.written_at = -math.inf

    def fail(self, message: str, error: BaseException) -> DatabaseUnavailableError:
        """Note that the server could not be used; returns the port's error: nothing was written."""
        self.reason = _explain(error)
        self.warn(message, error)
        return DatabaseUnavailableError()

    def warn(self, message: str, error: BaseException) -> None:
        self._failures.add(f"{message}: %s", _on_one_line(error))

    def refuse(self, error: psycopg.Error) -> DatabaseUnavailableError:
        """Note that the server refused a batch of writes; returns the port's error."""
        if not isinstance(error, errors.LockNotAvailable):  # which says nothing about other stores
            self.refusal, self.refused_at = _explain(error), self._loop.time()
        self._refusals.add("a batch of writes failed: %s", _on_one_line(error))
        return DatabaseUnavailableError()

    def refuse_schema(self) -> DatabaseUnavailableError:
        """Note that this program cannot write the schema; returns the port's error."""
        self.refusal, self.refused_at = MIGRATED, self._loop.time()
        self._refusals.add("a batch of writes was not begun: %s", MIGRATED)
        return DatabaseUnavailableError()

    def note_read(self) -> None:
        self.reason = None
        self._failures.note_success()

    def note_write(self) -> None:
        self.note_read()
        self.refusal, self.written_at = None, self._loop.time()
        self._refusals.note_success()


def _explain(error: BaseException) -> str:
    """The reason for ``/readyz``; a failure to connect has no SQLSTATE."""
    if isinstance(error, (TimeoutError, errors.ConnectionTimeout)):
        return SILENT
    if isinstance(error, psycopg.Error) and error.sqlstate is not None:
        refused = f"PostgreSQL cannot be used: error {error.sqlstate}, see the log"
        return _REASONS.get(type(error), refused)
    return _NO_CONNECTION


def _on_one_line(error: BaseException) -> str:
    return " ".join(str(error).split()) or "timeout"
