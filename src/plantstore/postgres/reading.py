"""Reads plants: a store's, requested while others are in flight, share one round trip.

Each is read once: after a write, all clients that list the store request the same page. Stores
share what is in flight by the rule of all pools.
"""

from collections.abc import Callable, Sequence
from typing import Any

from msgspec import Struct

from plantstore.core.database import Row
from plantstore.core.pools import Pool as Shares
from plantstore.postgres.batcher import Batcher, Waiting
from plantstore.postgres.pool import Pool

_MAX_BATCHES = 4


class Read(Struct, frozen=True):
    """A named query with its arguments, the store's first, and what decodes its rows."""

    name: str
    arguments: tuple[Any, ...]
    decode: Callable[[Sequence[Row]], object]


class Reads(Batcher[Read, Any]):
    """Reads with the named queries ``sql``, at most ``max_batch_size`` different ones at once."""

    def __init__(
        self, pool: Pool, sql: dict[str, str], max_waiting: int, max_batch_size: int
    ) -> None:
        super().__init__(_MAX_BATCHES, max_waiting)
        self._pool = pool
        self._sql = sql
        self._max_batch_size = max_batch_size
        self._shares = Shares("reads", _MAX_BATCHES)

    def next_batch(self) -> list[Waiting[Read, Any]]:
        """The reads of the store that has waited longest, and has a share left."""
        stores = dict.fromkeys(waiting.item.arguments[0] for waiting in self._waiting)
        store_id = next(filter(self._shares.try_take, stores), None)
        batch: list[Waiting[Read, Any]] = []
        later: list[Waiting[Read, Any]] = []
        taken: set[Read] = set()
        for waiting in self._waiting:
            read = waiting.item
            is_next = read.arguments[0] == store_id
            if is_next and (len(taken) < self._max_batch_size or read in taken):
                taken.add(read)
                batch.append(waiting)
            else:
                later.append(waiting)
        self._waiting = later
        return batch

    async def run(self, items: Sequence[Read]) -> Sequence[Any]:
        distinct = list(dict.fromkeys(items))
        queries = [(self._sql[read.name], read.arguments) for read in distinct]
        try:
            results = await self._pool.read(*queries)
        finally:
            self._shares.give_back(items[0].arguments[0])
        decoded = {read: read.decode(rows) for read, rows in zip(distinct, results, strict=True)}
        return [decoded[item] for item in items]
