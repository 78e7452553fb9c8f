"""Rate limits by key, such as a user.

Each key has a token bucket, stored as one number: the time when it will be full again. A full
bucket is the same as a new one, so it is not stored.
"""

import heapq
import math
import time
from collections.abc import Hashable

from plantstore.core.errors import RequestError

_MAX_KEYS = 10_000
_TOLERANCE = 1e-6  # seconds, for rounding errors


class Rates:
    """Allows ``count`` per ``seconds``, even in one burst, for each of ``_MAX_KEYS`` keys.

    With more keys, the fullest buckets are evicted.
    """

    def __init__(self, count: int, seconds: float) -> None:
        self._interval = seconds / count
        self._seconds = seconds
        self._full_at: dict[Hashable, float] = {}

    def __contains__(self, key: Hashable) -> bool:
        return key in self._full_at

    def take(self, key: Hashable) -> int:
        """Take one of the key's tokens: returns 0, or the whole seconds until there is a token."""
        seconds = self.check(key)
        if not seconds:
            if len(self._full_at) >= _MAX_KEYS and key not in self._full_at:
                self._evict()
            now = time.monotonic()
            self._full_at[key] = max(self._full_at.get(key, now), now) + self._interval
        return seconds

    def check(self, key: Hashable) -> int:
        """The whole seconds until the key has a token; 0 if it has one."""
        full_at = self._full_at.get(key, 0.0) + self._interval
        missing = full_at - time.monotonic() - self._seconds
        return math.ceil(missing) if missing > _TOLERANCE else 0

    def _evict(self) -> None:
        # Half of them at once: finding the fullest takes a millisecond.
        emptiest = heapq.nlargest(_MAX_KEYS // 2, self._full_at.items(), lambda it: it[1])
        now = time.monotonic()
        self._full_at = {key: full_at for key, full_at in emptiest if full_at > now}


def require(seconds: int) -> None:
    """Refuse the request if it came these seconds too early.

    :raises RequestError: the number is not 0.
    """
    if seconds:
        raise RequestError(42901, retry_after=seconds)
