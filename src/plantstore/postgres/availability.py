"""What successes and failures say about the server, of all connections together.

Invariant: repeated failures are logged at most once a second, and their end once.
"""

import asyncio
import logging
import math

import psycopg
from psycopg.errors import LockNotAvailable

from plantstore.errors import DatabaseUnavailableError
from plantstore.failures import FailureLog
from plantstore.postgres.reasons import explain

logger = logging.getLogger(__name__)


class Availability:
    """``reason`` is why the server could not be used last time, None if it could.

    ``refusal`` is why it refused the last write, at ``refused_at``, though it could be reached;
    ``written_at`` is when it took one, by the loop's clock. Until ``is_open`` is set, the schema
    has not been checked, and connections are not given out.
    """

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._failures = FailureLog(logger, "PostgreSQL works again")
        self._refusals = FailureLog(logger, "PostgreSQL takes writes again")
        self.is_open = True
        self.reason: str | None = None
        self.refusal: str | None = None
        self.refused_at = -math.inf
        self.written_at = -math.inf

    def fail(self, message: str, error: BaseException) -> DatabaseUnavailableError:
        """Note that the server could not be used; returns the port's error, nothing written."""
        self.reason = explain(error)
        self.warn(message, error)
        return DatabaseUnavailableError()

    def warn(self, message: str, error: BaseException) -> None:
        """Log what may yet succeed."""
        self._failures.add("%s: %s", message, _on_one_line(error))

    def refuse(self, error: psycopg.Error) -> DatabaseUnavailableError:
        """Note that the server refused a batch of writes; returns the port's error."""
        if not isinstance(error, LockNotAvailable):  # which says nothing about other stores
            self.refusal, self.refused_at = explain(error), self._loop.time()
        self._refusals.add("a batch of writes failed: %s", _on_one_line(error))
        return DatabaseUnavailableError()

    def note_read(self) -> None:
        """Note that the server responded."""
        self.reason = None
        self._failures.note_success()

    def note_write(self) -> None:
        """Note that a batch was committed."""
        self.note_read()
        self.refusal, self.written_at = None, self._loop.time()
        self._refusals.note_success()


def _on_one_line(error: BaseException) -> str:
    return " ".join(str(error).split()) or "timeout"
