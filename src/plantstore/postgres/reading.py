"""Reads plants: a store's, requested while others are in flight, share one round trip.

Each is read once: after a write, all clients that list the store request the same page. Stores
share what is in flight by the rule of all pools.
"""

from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

from plantstore.core.database import Row
from plantstore.core.pools import Pool as Shares
from plantstore.postgres.batcher import Batcher, Waiting
from plantstore.postgres.pool import Pool

Result = TypeVar("Result")

_MAX_BATCHES = 4


Read = tuple[str, tuple[Any, ...]]  # a query's name, and its arguments, the store's first


class Reads(Batcher[Read, Result], Generic[Result]):
    """Reads with the named queries ``sql``, at most ``max_batch_size`` different ones at once.

    ``decode`` makes a result from the rows.
    """

    def __init__(
        self,
        pool: Pool,
        sql: dict[str, str],
        decode: Callable[[Sequence[Row]], Result],
        max_waiting: int,
        max_batch_size: int,
    ) -> None:
        super().__init__(_MAX_BATCHES, max_waiting)
        self._pool = pool
        self._sql = sql
        self._decode = decode
        self._max_batch_size = max_batch_size
        self._shares = Shares("reads", _MAX_BATCHES)

    def next_batch(self) -> list[Waiting[Read, Result]]:
        """The reads of the store that has waited longest, and has a share left."""
        stores = dict.fromkeys(waiting.item[1][0] for waiting in self._waiting)
        store_id = next(filter(self._shares.try_take, stores), None)
        batch: list[Waiting[Read, Result]] = []
        later: list[Waiting[Read, Result]] = []
        taken: set[Read] = set()
        for waiting in self._waiting:
            read = waiting.item
            is_next = read[1][0] == store_id
            if is_next and (len(taken) < self._max_batch_size or read in taken):
                taken.add(read)
                batch.append(waiting)
            else:
                later.append(waiting)
        self._waiting = later
        return batch

    async def run(self, items: Sequence[Read]) -> Sequence[Result]:
        reads = list(dict.fromkeys(items))
        try:
            tables = await self._pool.read(*((self._sql[name], given) for name, given in reads))
        finally:
            self._shares.give_back(items[0][1][0])
        results = dict(zip(reads, map(self._decode, tables), strict=True))
        return [results[item] for item in items]
