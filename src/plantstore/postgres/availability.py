"""Whether the server is available, judged by the successes and failures of all connections.

Invariant: repeated failures are logged at most once a second, and the recovery once. A reason never
quotes the server, whose messages may be in any language and name hosts and users; only the log has
them.
"""

import asyncio
import logging
import math

import psycopg
from psycopg import errors

from plantstore.core.errors import DatabaseUnavailableError
from plantstore.core.failures import FailureLog, RepeatLimit

logger = logging.getLogger(__name__)
logging.getLogger("psycopg").setLevel(logging.ERROR)  # it warns of queries that a stop cancels

SILENT = "PostgreSQL does not respond in time"
READ_ONLY = "PostgreSQL cannot be written: it is read-only"
MIGRATED = "a newer program migrated the database: restart with that program"
_LOCKED_INTERVAL = 60.0  # seconds between two lines about a locked store
_REASONS: dict[type[psycopg.Error], str] = {
    errors.ReadOnlySqlTransaction: READ_ONLY,
    errors.DiskFull: "PostgreSQL cannot be written: its disk is full",
    errors.InsufficientPrivilege: "PostgreSQL cannot be used: the role lacks a privilege",
    errors.UndefinedTable: "PostgreSQL cannot be used: a table is missing",
}


class Availability:
    """``reason`` is why the last use of the server failed; None if it succeeded.

    ``refusal`` is why a reachable server refused the last write, at ``refused_at``; ``written_at``
    is the time of the last accepted write, both by the loop's clock. No connections are handed out
    until ``is_open`` is set: the schema must be checked first.
    """

    def __init__(self, *, is_open: bool) -> None:
        self._loop = asyncio.get_running_loop()
        self._failures = FailureLog(logger, "PostgreSQL works again")
        self._refusals = FailureLog(logger, "PostgreSQL accepts writes again")
        self._locks = RepeatLimit()
        self.is_open = is_open
        self.reason: str | None = None
        self.refusal: str | None = None
        self.refused_at = -math.inf
        self.written_at = -math.inf

    def fail(self, message: str, error: BaseException) -> DatabaseUnavailableError:
        """Record that the server could not be used; returns the port's error."""
        self.reason = _explain(error)
        self.warn(message, error)
        return DatabaseUnavailableError()

    def warn(self, message: str, error: BaseException) -> None:
        self._failures.add(f"{message}: %s", _on_one_line(error))

    def refuse(self, error: BaseException | None) -> DatabaseUnavailableError:
        """Record that the server refuses writes, or, without an error, that its schema is newer."""
        self.refusal = MIGRATED if error is None else _explain(error)
        self.refused_at = self._loop.time()
        reason = MIGRATED if error is None else _on_one_line(error)
        self._refusals.add("a batch of writes failed: %s", reason)
        return DatabaseUnavailableError()

    def refuse_locked(self, store_id: int, error: psycopg.Error) -> DatabaseUnavailableError:
        """Record that another transaction locks a store's rows; returns the port's error."""
        if self._locks.admit(f"store {store_id}", _LOCKED_INTERVAL) is not None:
            message = "store %d is locked by another transaction: %s"
            logger.error(message, store_id, _on_one_line(error))
        return DatabaseUnavailableError()

    def note_read(self) -> None:
        self.reason = None
        self._failures.note_success()

    def note_write(self) -> None:
        self.note_read()
        self.refusal, self.written_at = None, self._loop.time()
        self._refusals.note_success()


def _explain(error: BaseException) -> str:
    """The reason shown by ``/readyz``; a failure to connect has no SQLSTATE."""
    if isinstance(error, (TimeoutError, errors.ConnectionTimeout)):
        return SILENT
    if isinstance(error, psycopg.Error) and error.sqlstate is not None:
        refused = f"PostgreSQL cannot be used: error {error.sqlstate}, see the log"
        return _REASONS.get(type(error), refused)
    return "there is no connection to PostgreSQL: the log says why"


def _on_one_line(error: BaseException) -> str:
    return " ".join(str(error).split()) or "timeout"
