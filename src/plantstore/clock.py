"""The time, in the unit used everywhere."""

import time


def now() -> int:
    """Unix time in milliseconds."""
    return time.time_ns() // 10**6
