"""Logs repeated failures without flooding the log: the first, one a second, and the recovery."""

import logging
import time
from collections.abc import Callable

_INTERVAL = 1.0  # seconds between two lines, and without a failure before a recovery is logged


class FailureLog:
    """Logs the failures of one thing; ``recovery`` is the message when it works again.

    While some attempts succeed and others fail, it counts as failing: it has recovered when an
    attempt succeeds and none has failed for a second. ``clock`` returns seconds.
    """

    def __init__(
        self, logger: logging.Logger, recovery: str, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._logger = logger
        self._recovery = recovery
        self._clock = clock
        self.is_failing = False
        self._began = self._failed_at = self._logged_at = -_INTERVAL
        self._worked_at: float | None = None  # the first success since the last failure
        self._left_out = 0

    def add(self, message: str, *arguments: object) -> None:
        """Log a failure, or only count it if another one was logged within the last second."""
        now = self._clock()
        if not self.is_failing:
            self.is_failing, self._began = True, now
            self._logged_at = now - _INTERVAL
        self._failed_at, self._worked_at = now, None
        if now - self._logged_at < _INTERVAL:
            self._left_out += 1
            return
        self._logger.error("%s%s", message % arguments, self._take_left_out(now))
        self._logged_at = now

    def note_success(self) -> None:
        """Log the recovery, once. Costs little if nothing has failed."""
        if not self.is_failing:
            return
        now = self._clock()
        if self._worked_at is None:
            self._worked_at = now
        if now - self._failed_at >= _INTERVAL:
            self.is_failing = False
            seconds = self._worked_at - self._began
            more = self._take_left_out(now)
            self._logger.warning("%s after %.1f s%s", self._recovery, seconds, more)

    def _take_left_out(self, now: float) -> str:
        count, self._left_out = self._left_out, 0
        if not count:
            return ""
        seconds = now - self._logged_at
        since = "second" if seconds < 2 * _INTERVAL else f"{seconds:.0f} seconds"
        return f" ({count} more like it in the last {since})"
