"""Reads pages and plants: those requested while others are in flight share one round trip.

Each is read once: after a write, all clients that list the store request the same page.
"""

from collections.abc import Sequence

from msgspec import Struct

from plantstore.core.model import NewPlant, Page, PlantQuery
from plantstore.postgres.batcher import Batcher, Waiting
from plantstore.postgres.pool import Pool
from plantstore.sql.reading import page_query, to_page

_MAX_BATCHES = 4
_MAX_BATCH_SIZE = 16  # pages, so that none waits for too many others

PlantKey = tuple[int, int]  # the store's id, and the plant's


class PageRequest(Struct, frozen=True):
    """The arguments of the port's ``read_page``."""

    store_id: int
    query: PlantQuery
    max_plants: int


class Pages(Batcher[PageRequest, Page]):
    """Reads pages with the named queries ``sql``."""

    def __init__(self, pool: Pool, sql: dict[str, str], max_waiting: int) -> None:
        super().__init__(_MAX_BATCHES, max_waiting)
        self._pool = pool
        self._sql = sql

    def next_batch(self) -> list[Waiting[PageRequest, Page]]:
        """The pages that have waited longest, with all requests for them."""
        pages = list(dict.fromkeys(waiting.item for waiting in self._waiting))[:_MAX_BATCH_SIZE]
        taken = set(pages)
        batch = [waiting for waiting in self._waiting if waiting.item in taken]
        self._waiting = [waiting for waiting in self._waiting if waiting.item not in taken]
        return batch

    async def run(self, items: Sequence[PageRequest]) -> Sequence[Page]:
        """The pages."""
        distinct = list(dict.fromkeys(items))
        named = [page_query(one.store_id, one.query, one.max_plants) for one in distinct]
        results = await self._pool.read(
            *((self._sql[name], arguments) for name, arguments in named)
        )
        found = {one: to_page(rows[0]) for one, rows in zip(distinct, results, strict=True)}
        return [found[one] for one in items]


class Plants(Batcher[PlantKey, NewPlant | None]):
    """Reads single plants with the named queries ``sql``."""

    def __init__(self, pool: Pool, sql: dict[str, str], max_waiting: int) -> None:
        super().__init__(_MAX_BATCHES, max_waiting)
        self._pool = pool
        self._sql = sql["find_plant"]

    async def run(self, items: Sequence[PlantKey]) -> Sequence[NewPlant | None]:
        """The plants, each read once."""
        keys = list(dict.fromkeys(items))
        results = await self._pool.read(*((self._sql, key) for key in keys))
        found = {
            key: NewPlant(*rows[0]) if rows else None
            for key, rows in zip(keys, results, strict=True)
        }
        return [found[key] for key in items]
