"""Reads pages: those requested while others are in flight share one round trip, each page once.

After a write, all clients that list the store request the same page.
"""

from collections.abc import Sequence

from msgspec import Struct

from plantstore.model import Page, PlantQuery
from plantstore.postgres.batcher import Batcher, Waiting
from plantstore.postgres.pool import Pool
from plantstore.sql.session import Row

_MAX_BATCHES = 4
_MAX_BATCH_SIZE = 16  # pages, so that none waits for too many others

Named = tuple[str, tuple[object, ...]]


class PageRequest(Struct, frozen=True):
    """The arguments of the port's ``read_page``."""

    store_id: int
    query: PlantQuery
    max_plants: int


class Pages(Batcher[PageRequest, Page]):
    """Reads with the named queries ``sql``."""

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


def page_query(store_id: int, query: PlantQuery, max_plants: int) -> Named:
    """The name and the arguments of the query that reads a page."""
    limit = max_plants if query.limit is None else min(max_plants, query.limit)
    arguments = (store_id, query.first_id, limit, query.with_ids)
    if query.tag is not None:
        return "read_page_of_tag", (*arguments, query.tag)
    return "read_page", arguments


def to_page(row: Row) -> Page:
    """The page in its row."""
    revision, total, count, plants, last_id, more = row
    text = (plants or "").encode()
    return Page(revision or 0, total or 0, count, text, last_id or 0, bool(more))


def last_id_query(store_id: int, query: PlantQuery, limit: int) -> Named:
    """The name and the arguments of the query for the limit's last plant, if more follow."""
    arguments = (store_id, query.first_id, limit - 1)
    if query.tag is not None:
        return "find_last_of_limit_and_tag", (*arguments, query.tag)
    return "find_last_of_limit", arguments
