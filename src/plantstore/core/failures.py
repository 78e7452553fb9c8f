"""Logs repeated failures without flooding the log: each cause once a second, then the recovery.

Equal lines of a cause are logged once a minute.

Invariant: workers share these limits, since they are forked from a process that has imported this
module. A worker counts the lines that it suppresses, and reports the count with its next line.
"""

import logging
import mmap
import struct
import time
from collections import Counter
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec
from zlib import crc32

logger = logging.getLogger(__name__)

_INTERVAL = 1.0  # seconds between two lines; also without a failure, before the recovery is logged
_REPEAT_INTERVAL = 60.0  # between two equal lines
_PLACES = 512
_ADMITTED = struct.Struct("dI")  # since when, by the system's monotonic clock, and how many
_admitted = mmap.mmap(-1, _PLACES * _ADMITTED.size)

Observed = ParamSpec("Observed")


class RepeatLimit:
    """Admits one line, or some, per cause and second, across all processes.

    In rare cases two causes share a limit.
    """

    def __init__(self) -> None:
        self._suppressed: Counter[str] = Counter()

    def admit(self, cause: str, interval: float = _INTERVAL, lines: int = 1) -> int | None:
        """How many lines this process suppressed since its last one; None to suppress another."""
        now, place = time.monotonic(), crc32(cause.encode()) % _PLACES * _ADMITTED.size
        began, count = _ADMITTED.unpack_from(_admitted, place)
        if not 0 <= now - began < interval:
            began, count = now, 0
        if count >= lines:
            self._suppressed[cause] += 1
            return None
        _ADMITTED.pack_into(_admitted, place, began, count + 1)
        return self._suppressed.pop(cause, 0)

    def take_suppressed(self) -> int:
        """Take the count of suppressed lines of all causes, and reset it."""
        total = self._suppressed.total()
        self._suppressed.clear()
        return total


def observing(observe: Callable[Observed, None]) -> Callable[Observed, None]:
    """The observer, whose errors are logged: a write that it observes is stored already."""
    limit = RepeatLimit()

    @wraps(observe)
    def run(*arguments: Observed.args, **named: Observed.kwargs) -> None:
        try:
            observe(*arguments, **named)
        except Exception:
            if limit.admit(observe.__qualname__) is not None:
                logger.exception("an observer failed: %s", observe.__qualname__)

    return run


class FailureLog:
    """Logs the failures of one operation; ``recovery`` is the message when it works again.

    It has recovered when an attempt succeeds and none has failed for a second.
    """

    def __init__(self, logger: logging.Logger, recovery: str) -> None:
        self._logger = logger
        self._recovery = recovery
        self._limit = RepeatLimit()
        self.is_failing = False
        self._began = self._failed_at = 0.0
        self._texts: dict[str, str] = {}  # by cause, the last line since the failure began
        self._worked_at: float | None = None  # the first success since the last failure

    def add(self, message: str, *arguments: object) -> None:
        """Log a failure, at most once a second for each ``message``."""
        now = time.monotonic()
        if not self.is_failing:
            self.is_failing, self._began, self._texts = True, now, {}
        self._failed_at, self._worked_at = now, None
        text = message % arguments
        interval = _REPEAT_INTERVAL if text == self._texts.get(message) else _INTERVAL
        if (suppressed := self._limit.admit(message, interval)) is not None:
            self._texts[message] = text
            self._logger.error("%s%s", text, _describe(suppressed))

    def note_success(self) -> None:
        """Log the recovery, once. Costs little if nothing has failed."""
        if not self.is_failing:
            return
        now = time.monotonic()
        if self._worked_at is None:
            self._worked_at = now
        if now - self._failed_at >= _INTERVAL:
            self.is_failing = False
            more = self._limit.take_suppressed()
            if self._limit.admit(self._recovery) is not None:
                seconds = self._worked_at - self._began
                self._logger.warning("%s after %.1f s%s", self._recovery, seconds, _describe(more))


def _describe(suppressed: int) -> str:
    return f" ({suppressed} more suppressed)" if suppressed else ""
