"""The time, as everything stores it."""

import time


def now() -> int:
    """Unix time in milliseconds."""
    return time.time_ns() // 10**6
