"""Rate limits: how often one user may call one worker process."""

import math
import time

from plantstore.errors import RequestError


class Rates:
    """Counts calls by user over a moving window."""

    def __init__(self, limit: str) -> None:
        # Not imported at the top: it takes a third of the start, and most services have no limit.
        from limits import parse  # noqa: PLC0415 - only where there is a limit
        from limits.storage import MemoryStorage  # noqa: PLC0415 - as above
        from limits.strategies import MovingWindowRateLimiter  # noqa: PLC0415 - as above

        self._limit = parse(limit)
        self._limiter = MovingWindowRateLimiter(MemoryStorage())

    def check(self, user_id: int) -> None:
        """Count one call of the user.

        :raises RequestError: it is one too many.
        """
        user = str(user_id)
        if not self._limiter.hit(self._limit, user):
            reset = self._limiter.get_window_stats(self._limit, user).reset_time
            raise RequestError(42901, retry_after=max(1, math.ceil(reset - time.time())))
