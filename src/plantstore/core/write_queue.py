"""What writes of all stores share: batches, the bytes of a minute, and the observers of commits.

Invariant: while several stores write, a store that has many writes, or long ones, delays the others
by no more than its share of each batch.
"""

import mmap
import random
import time
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from plantstore.core.errors import OverloadedError
from plantstore.core.fair_queue import Active
from plantstore.core.model import contents_of
from plantstore.core.pools import Pool
from plantstore.core.settings import Settings

MAX_BATCH = 500  # writes
_MIN_SHARED, _MAX_SHARED = 24, 100  # short writes that several stores share in a batch
_TIMES_MORE, _NOTED_SECONDS = 3, 0.05  # "much less" is a third, in so long
_LESS, _UNEVEN_SECONDS = 16, 0.1  # short writes of a batch then, for so long
_WRITE_SECONDS = 0.0001  # a commit that took this long n times lets them share n, on a slow disk
_LONG_COST = 4  # short writes that take as long as a long one, or one with a key; 1 more per KiB
_COST_BYTES = 256  # of texts that cost 1 more: more pages are written
_ALL = -1  # in the place of a store: all stores
_WRITE_BYTES = 150  # a plant, its event and its deletion's event, without texts
_SHORT = 900  # bytes: longer texts take a page of SQLite in each of the three
_LONG_BYTES = 3 * 4096
_KEY_BYTES = 600

_uneven_until = memoryview(mmap.mmap(-1, 8)).cast("d")  # shared by workers, which are forked

CommitObserver = Callable[[int, float], None]  # gets the commit's number of writes and seconds


class WriteQueue:
    """Admits writes to the queue and to batches. Create it on the event loop.

    Several stores share a batch of ``shared`` short writes like a pool. A commit is passed to the
    ``observers`` and ``followers``, which must not raise: ``core.failures.observing`` logs errors.
    """

    def __init__(self, settings: Settings) -> None:
        self.bytes = Pool("written_bytes", settings.max_written_bytes)
        self.stores = Active()
        self._shared = _MIN_SHARED
        self._had, self._noted_until = Counter[int](), 0.0
        self.observers: list[CommitObserver] = []
        self.followers: dict[int, Callable[[int], None]] = {}  # by store; get its revision

    def enter(self, store_id: int) -> None:
        """Admit a write of the store to the queue, which the requests in flight bound.

        :raises OverloadedError: the store has used up its bytes.
        """
        # While less than half is used, each store has room: the call costs 1 % of a create.
        if 2 * self.bytes.used >= self.bytes.size and not self.bytes.has_room(store_id):
            raise OverloadedError
        if store_id != self.stores.last and store_id:  # 0 is not a store
            self.stores.see(store_id)

    def note_batch(self, costs: Counter[int]) -> None:
        """Note what stores had of a batch: batches are short while one has much less than others.

        Such a store does not fill a batch itself, and waits for less, in all workers.
        """
        self._had.update(costs)
        if costs and (now := time.monotonic()) >= self._noted_until:
            self._noted_until = now + _NOTED_SECONDS
            had = [cost for store_id, cost in self._had.items() if store_id > 0]
            if had and _TIMES_MORE * min(had) <= max(had):
                _uneven_until[0] = now + _UNEVEN_SECONDS
            self._had.clear()

    @property
    def is_uneven(self) -> bool:
        """Whether batches are short."""
        return time.monotonic() < _uneven_until[0]

    @property
    def shared(self) -> int:
        """The short writes of the next batch, if several stores share it."""
        return self._shared - (_LESS if self.is_uneven else 0)

    def try_leave(self, store_id: int, write: object, costs: Counter[int]) -> bool:
        """Add the write's cost unless the store's ``costs`` are as much as is free, and a long one.

        The store's later writes are refused then, too, so they stay in their order.
        """
        if self.stores.are_several:
            if costs[store_id] >= max(_LONG_COST, self.shared - costs[_ALL]):
                return False
            length = _length_of(write)
            cost = _LONG_COST + (length or 0) // 1024
            if length is not None and not getattr(write, "key", None):
                cost = min(cost, 1 + length // _COST_BYTES)
            for holder in (store_id, _ALL):
                costs[holder] += cost
        return True

    def note_commit(
        self,
        batch: Sequence[Any],
        outcomes: Sequence[Any],
        count: int,
        seconds: float,
        applying: float = 0.0,
    ) -> None:
        """Charge about the database's growth: a random write is charged for its whole batch.

        Of the ``seconds``, about ``applying`` were not for the commit.
        """
        write = random.choice(batch)  # noqa: S311 - no secret
        length, size = _length_of(write), _WRITE_BYTES
        if length is not None:
            size += 3 * length if length <= _SHORT else _LONG_BYTES
            size += _KEY_BYTES if write.key is not None else 0
        self.bytes.add(write.store_id, size * len(batch))
        shared = int((seconds - applying) / _WRITE_SECONDS)
        self._shared = min(max(_MIN_SHARED, shared), _MAX_SHARED)
        for observe in self.observers:
            observe(count, seconds)
        for write, outcome in zip(batch, outcomes, strict=True) if self.followers else ():
            if write.store_id in self.followers and type(outcome) is tuple:
                self.followers[write.store_id](outcome[1])


def _length_of(write: object) -> int | None:
    """The bytes of the texts of the write's plant; None if only the database knows the plant."""
    plant = getattr(write, "plant", None)
    return None if plant is None else len("".join(filter(None, contents_of(plant))).encode())
