"""A clock that goes on when it is told."""

from itertools import count

_starts = count(10_000, 10_000)  # no test meets the seconds of another


class Clock:
    """Seconds, as the test has them."""

    def __init__(self) -> None:
        self.now = float(next(_starts))

    def __call__(self) -> float:
        return self.now
