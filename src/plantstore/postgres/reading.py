"""Reads plants: those requested while others are in flight share one round trip.

Each is read once: after a write, all clients that list the store request the same page.
"""

from collections.abc import Callable, Sequence
from typing import Any

from msgspec import Struct

from plantstore.core.database import Row
from plantstore.postgres.batcher import Batcher, Waiting
from plantstore.postgres.pool import Pool

_MAX_BATCHES = 4


class Read(Struct, frozen=True):
    """A named query with its arguments, and what decodes its rows."""

    name: str
    arguments: tuple[object, ...]
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

    def next_batch(self) -> list[Waiting[Read, Any]]:
        """The reads that have waited longest, with all requests for them."""
        if len(self._waiting) <= self._max_batch_size:
            return super().next_batch()
        reads = dict.fromkeys(waiting.item for waiting in self._waiting)
        taken = set(list(reads)[: self._max_batch_size])
        batch = [waiting for waiting in self._waiting if waiting.item in taken]
        self._waiting = [waiting for waiting in self._waiting if waiting.item not in taken]
        return batch

    async def run(self, items: Sequence[Read]) -> Sequence[Any]:
        """What was read."""
        distinct = list(dict.fromkeys(items))
        queries = [(self._sql[read.name], read.arguments) for read in distinct]
        results = await self._pool.read(*queries)
        decoded = {read: read.decode(rows) for read, rows in zip(distinct, results, strict=True)}
        return [decoded[item] for item in items]
