"""Reads pages: all that are asked for while others are under way are one round trip, each once.

After a write, everyone who lists that store asks for the same page.
"""

from collections.abc import Sequence

from msgspec import Struct

from plantstore.model import Page, PlantQuery
from plantstore.postgres.connections import Connections
from plantstore.postgres.grouping import Grouping, Waiting
from plantstore.sql.session import Row

_MOST_GROUPS = 4
_MOST_IN_GROUP = 16  # pages, so that none waits for too many others

Named = tuple[str, tuple[object, ...]]


class PageAsked(Struct, frozen=True):
    """The arguments of the port's ``read_page``."""

    store_id: int
    query: PlantQuery
    most: int


class Pages(Grouping[PageAsked, Page]):
    """Reads with the named queries ``sql``."""

    def __init__(self, connections: Connections, sql: dict[str, str], most_waiting: int) -> None:
        super().__init__(_MOST_GROUPS, most_waiting)
        self._connections = connections
        self._sql = sql

    def take(self) -> list[Waiting[PageAsked, Page]]:
        """The oldest, and all that ask for the same."""
        oldest = list(dict.fromkeys(waiting.item for waiting in self._waiting))[:_MOST_IN_GROUP]
        taken = set(oldest)
        group = [waiting for waiting in self._waiting if waiting.item in taken]
        self._waiting = [waiting for waiting in self._waiting if waiting.item not in taken]
        return group

    async def run(self, items: Sequence[PageAsked]) -> Sequence[Page]:
        """The pages."""
        distinct = list(dict.fromkeys(items))
        named = [ask_page(one.store_id, one.query, one.most) for one in distinct]
        answers = await self._connections.read(
            *((self._sql[name], arguments) for name, arguments in named)
        )
        found = {one: to_page(rows[0]) for one, rows in zip(distinct, answers, strict=True)}
        return [found[one] for one in items]


def ask_page(store_id: int, query: PlantQuery, most: int) -> Named:
    """The name and the arguments of the query that reads a page."""
    most = most if query.limit is None else min(most, query.limit)
    arguments = (store_id, query.first_id, most, query.with_ids)
    if query.tag is not None:
        return "read_page_of_tag", (*arguments, query.tag)
    return "read_page", arguments


def to_page(row: Row) -> Page:
    """The page in its row."""
    revision, count, plants, last_id, more = row
    return Page(revision or 0, count, (plants or "").encode(), last_id or 0, bool(more))


def ask_last_id(store_id: int, query: PlantQuery, limit: int) -> Named:
    """The name and the arguments of the query for the limit's last plant, if more follow it."""
    return "find_last_of_limit", (store_id, query.first_id, limit - 1, query.tag)
