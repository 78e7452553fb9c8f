"""Counts and gauges, by the metric's name and the values of its labels, in plain numbers."""

from bisect import bisect_left
from collections.abc import Sequence
from operator import add

Key = tuple[str, ...]
Numbers = dict[Key, Sequence[float]]  # a counter has one, a histogram its cells
Gauges = dict[Key, float]


class Histogram:
    """``cells`` has the count of each bucket, the last of them without a bound, and the sum."""

    def __init__(self, bounds: tuple[float, ...]) -> None:
        self._bounds = bounds
        self.cells: list[float] = [0] * (len(bounds) + 1) + [0.0]

    def observe(self, value: float) -> None:
        """Count one value."""
        self.cells[bisect_left(self._bounds, value)] += 1
        self.cells[-1] += value


def add_to(numbers: Numbers, key: Key, more: Sequence[float]) -> None:
    """Add to the numbers of a key; lists that are there already are not changed."""
    known = numbers.get(key)
    numbers[key] = list(more) if known is None else list(map(add, known, more))
