"""Reads the tables in pages, alike on every database, and pairs the rows of two databases.

Invariant: only a few pages are in memory, and rows are in the order of their keys, which are
integers or bytes: every database and Python order them alike.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import Any, TypeVar

from msgspec import Struct

from plantstore.database import Row
from plantstore.model import INT64_MAX, INT64_MIN
from plantstore.sql.session import Queries, Session

PAGE_ROWS = 5000

Item = TypeVar("Item")
Pair = tuple[Row | None, Row | None]
Stores = tuple[int, int]  # the ids of the first and the last of a range
ALL: Stores = (0, INT64_MAX)


class Table(Struct, frozen=True):
    """A table by its name, and the queries that read a page of it and write its rows.

    ``first`` is a lower bound of the keys, for tables of stores without the store's id, with which
    their rows begin. Then come the other columns of the key.
    """

    name: str
    read: str
    write: str
    first: tuple[Any, ...] = ()

    def key(self, row: Row) -> tuple[Any, ...]:
        """The row's key."""
        return tuple(row[: 1 + len(self.first)])


USERS = Table("users", "page_of_users", "copy_users")
STORES = Table("stores", "page_of_stores", "copy_stores")
MEMBERS = Table("members", "page_of_members", "copy_members", (0,))
TOKENS = Table("tokens", "page_of_tokens", "copy_tokens", (b"",))
PLANTS = Table("plants", "page_of_plants", "copy_plants", (INT64_MIN,))
EVENTS = Table("events", "page_of_events", "copy_events", (0,))
KEYS = Table("idempotency keys", "page_of_keys", "copy_keys", (0, ""))


def read_pages(session: Queries, table: Table, stores: Stores = ALL) -> Iterator[Sequence[Row]]:
    """The rows of these stores, in pages."""
    start: tuple[Any, ...] = (stores[0], *table.first)
    last: tuple[Any, ...] | None = None
    while True:
        page = session.query(table.read, *start, stores[1], PAGE_ROWS)
        # It begins with the previous page's last row, since there is no key above the highest;
        # unless that row was deleted meanwhile.
        rows = page[1:] if page and table.key(page[0]) == last else page
        if rows:
            yield rows
        if len(page) < PAGE_ROWS:
            return
        start = last = table.key(page[-1])


def read_rows(session: Queries, table: Table, stores: Stores = ALL) -> Iterator[Row]:
    """The rows, one after another."""
    return chain.from_iterable(read_pages(session, table, stores))


def find_first_event(session: Queries, store_id: int) -> int:
    """The revision of the first event that a store still has; above all where it has none."""
    rows = session.query(EVENTS.read, store_id, 0, store_id, 1)
    return int(rows[0][1]) if rows else INT64_MAX


def pair_rows(
    source: Session, target: Session, table: Table, stores: Stores = ALL
) -> Iterator[Pair]:
    """Pairs of rows with the same key; None if one side has no such row."""
    sources, targets = (read_rows(session, table, stores) for session in (source, target))
    ours, theirs = next(sources, None), next(targets, None)
    while ours is not None or theirs is not None:
        if theirs is None or (ours is not None and table.key(ours) < table.key(theirs)):
            yield ours, None
            ours = next(sources, None)
        elif ours is None or table.key(theirs) < table.key(ours):
            yield None, theirs
            theirs = next(targets, None)
        else:
            yield ours, theirs
            ours, theirs = next(sources, None), next(targets, None)


def in_parts(items: Iterable[Item]) -> Iterator[list[Item]]:
    """The items, some thousand at a time."""
    iterator = iter(items)
    while part := list(islice(iterator, PAGE_ROWS)):
        yield part
