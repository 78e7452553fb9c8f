"""Logs repeated failures without flooding the log: each cause once a second, and the recovery.

Equal lines are logged once a minute.

Invariant: workers share these seconds, since they are forked from a process that has imported this
module. A worker counts what it does not log, and says so with its next line.
"""

import logging
import mmap
import struct
import time
from collections import Counter
from collections.abc import Callable
from zlib import crc32

_INTERVAL = 1.0  # seconds between two lines, and without a failure before a recovery is logged
_REPEAT_INTERVAL = 60.0  # between two equal lines
_SLOTS = 512
_TIME = struct.Struct("d")
_logged_at = mmap.mmap(-1, _SLOTS * _TIME.size)  # by the system's clock that all processes share


class RepeatLimit:
    """Admits a line of each cause once a second, in all processes together.

    ``clock`` returns seconds. Two causes may, rarely, share their seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._suppressed: Counter[str] = Counter()

    def admit(self, cause: str, interval: float = _INTERVAL) -> int | None:
        """How many lines this process has suppressed since its last one; None to suppress this."""
        now, place = self._clock(), crc32(cause.encode()) % _SLOTS * _TIME.size
        if 0 <= now - _TIME.unpack_from(_logged_at, place)[0] < interval:
            self._suppressed[cause] += 1
            return None
        _TIME.pack_into(_logged_at, place, now)
        return self._suppressed.pop(cause, 0)

    def take_all(self) -> int:
        """How many lines of all causes are suppressed since the last one of each."""
        total = self._suppressed.total()
        self._suppressed.clear()
        return total


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
        self._limit = RepeatLimit(clock)
        self.is_failing = False
        self._began = self._failed_at = 0.0
        self._text: str | None = None  # that was logged last, since it began
        self._worked_at: float | None = None  # the first success since the last failure

    def add(self, message: str, *arguments: object) -> None:
        """Log a failure, at most once a second for each ``message``."""
        now = self._clock()
        if not self.is_failing:
            self.is_failing, self._began, self._text = True, now, None
        self._failed_at, self._worked_at = now, None
        text = message % arguments
        interval = _REPEAT_INTERVAL if text == self._text else _INTERVAL
        suppressed = self._limit.admit(message, interval)
        if suppressed is not None:
            self._text = text
            self._logger.error("%s%s", text, _describe(suppressed))

    def note_success(self) -> None:
        """Log the recovery, once. Costs little if nothing has failed."""
        if not self.is_failing:
            return
        now = self._clock()
        if self._worked_at is None:
            self._worked_at = now
        if now - self._failed_at >= _INTERVAL:
            self.is_failing = False
            more = self._limit.take_all()
            if self._limit.admit(self._recovery) is not None:
                seconds = self._worked_at - self._began
                self._logger.warning("%s after %.1f s%s", self._recovery, seconds, _describe(more))


def _describe(suppressed: int) -> str:
    return f" ({suppressed} more suppressed)" if suppressed else ""
