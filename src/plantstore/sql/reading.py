"""The reads of serving that all databases share: arguments of queries, and decoded rows."""

import sys
from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from plantstore.core.database import Row
from plantstore.core.model import Caller, IsFresh, Page, PlantQuery, never_fresh
from plantstore.sql.scopes import read_access

MAX_TEXT = 2**17  # bytes of a page's JSON; the queries of PostgreSQL know this number, too
TOO_LONG = [(0, 0, 1, None, 0, True)]  # the rows of a page whose text is longer
Query = tuple[str, tuple[Any, ...]]  # a query's name and its arguments


def page_query(store_id: int, query: PlantQuery, max_count: int) -> Query:
    count = max_count if query.limit is None else min(max_count, query.limit)
    arguments = (store_id, query.first_id, count, query.with_ids)
    if query.tags:
        return "read_page_of_tags", (*arguments, _to_json(query.tags), query.with_total)
    return "read_page", arguments


class SnapshotReads:
    """The reads of a snapshot, on any database."""

    revision = 0
    _max_count = sys.maxsize  # plants of a page

    def __init__(self, store_id: int) -> None:
        self.store_id = store_id

    async def query(self, name: str, arguments: tuple[Any, ...]) -> Sequence[Row]:
        raise NotImplementedError

    def watch(self, abort: Callable[[], object]) -> None:
        """See ``Snapshot``; only SQLite ends snapshots."""

    async def read_page(self, query: PlantQuery, max_count: int) -> Page:
        """See ``Snapshot``. While texts are too long, pages have half as many plants."""
        while True:
            count = min(max_count, self._max_count)
            page = to_page(await self.query(*page_query(self.store_id, query, count)))
            if page.count or not page.more:
                return page
            self._max_count = count // 2

    async def find_last_id(self, query: PlantQuery) -> int | None:
        """See ``Snapshot``: it reads the last plant within the limit, and the plant after it."""
        if not query.limit:
            return None
        read: Query = "find_last_of_limit", (self.store_id, query.first_id, query.limit - 1)
        if query.tags:
            read = "find_last_of_limit_and_tags", (*read[1], _to_json(query.tags))
        rows = await self.query(*read)
        return rows[0][0] if len(rows) > 1 else None


def _to_json(tags: tuple[str, ...]) -> str:
    return msgspec.json.encode(tags).decode()


def to_page(rows: Sequence[Row]) -> Page:
    ((revision, total, count, plants, last_id, more),) = rows
    if count and plants is None:  # too long
        return Page(0, 0, 0, b"", 0, more=True)
    text = plants.encode() if isinstance(plants, str) else plants or b""
    return Page(revision or 0, total or 0, count, text, last_id or 0, bool(more))


def to_caller(
    token_store_id: int, token_hash: bytes, row: Row, unchanged: IsFresh = never_fresh
) -> Caller:
    user_id, label, expires_at, store_id, role_name, scopes, revision = row
    token = (token_store_id, token_hash, user_id, label, expires_at)
    role, permissions = read_access(role_name, scopes)
    principal = (token_store_id, user_id)
    return Caller(*token, store_id, role, permissions, revision, principal, unchanged)
