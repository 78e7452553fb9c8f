"""The stores' shares of the write queue: who writes much leaves room to other stores."""

from collections import Counter
from collections.abc import Iterable

from plantstore.errors import OverloadedError


class StoreShares:
    """At most half of a queue of ``size`` for each store, and at least one place."""

    def __init__(self, size: int) -> None:
        self._share = max(1, size // 2)
        self._waiting: Counter[int] = Counter()

    def take(self, store_id: int) -> None:
        """Count one more write that waits.

        :raises OverloadedError: the store has its share.
        """
        if self._waiting[store_id] >= self._share:
            raise OverloadedError
        self._waiting[store_id] += 1

    def count(self, store_ids: Iterable[int]) -> None:
        """Count the writes that wait anew, where others were taken from the queue."""
        self._waiting = Counter(store_ids)
