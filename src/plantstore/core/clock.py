"""The time, in the unit used everywhere."""

import logging
import time
from datetime import UTC, datetime, timedelta

logger = logging.getLogger(__name__)

DAY_MS = 24 * 3600 * 1000
_STEADY_SECONDS = 3600.0
_TOLERANCE = 60.0  # seconds
EPOCH = datetime.fromtimestamp(0, UTC)


def now() -> int:
    """Unix time in milliseconds."""
    return time.time_ns() // 10**6


def write_time(milliseconds: int) -> str:
    """Format a Unix time, up to the year 9999, as RFC 3339, in UTC."""
    moment = EPOCH + timedelta(milliseconds=milliseconds)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


class SteadyClock:
    """The machine's clock, for irreversible work: trusted only an hour after it was last set.

    The start of the process counts as setting it.
    """

    def __init__(self) -> None:
        self._set_at = time.monotonic()
        self._offset = time.time() - self._set_at

    def read(self) -> int | None:
        """Unix time in milliseconds; None while it is not trusted. Call it often."""
        at, timer = time.time(), time.monotonic()
        moved = at - timer - self._offset
        if abs(moved) > _TOLERANCE:
            logger.warning("the clock was moved by %+.0f s: nothing is trimmed for now", moved)
            self._offset += moved
            self._set_at = timer
        return int(at * 1000) if timer - self._set_at >= _STEADY_SECONDS else None
