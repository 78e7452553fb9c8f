"""The time, in the unit used everywhere."""

import time
from datetime import UTC, datetime, timedelta

DAY_MS = 24 * 3600 * 1000
_EPOCH = datetime.fromtimestamp(0, UTC)


def now() -> int:
    """Unix time in milliseconds."""
    return time.time_ns() // 10**6


def write_time(milliseconds: int) -> str:
    """A Unix time as in RFC 3339, in UTC; at most the year 9999's end."""
    moment = _EPOCH + timedelta(milliseconds=milliseconds)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
