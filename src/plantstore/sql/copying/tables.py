"""Reads the tables in pages, alike on every database, and pairs the rows of two databases.

Invariant: only a few pages are in memory, and rows are in the order of their keys, which are
integers or bytes: every database and Python order them alike.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import Any, TypeVar

from msgspec import Struct

from plantstore.model import INT64_MAX, INT64_MIN
from plantstore.sql.session import Queries, Row

PAGE_ROWS = 5000

Item = TypeVar("Item")
Pair = tuple[Row | None, Row | None]


class Table(Struct, frozen=True):
    """A table by its name, and the queries that read a page of it and write its rows.

    ``first`` is a lower bound of the keys; a row begins with its key, of as many columns.
    """

    name: str
    read: str
    write: str
    first: tuple[Any, ...]


USERS = Table("users", "page_of_users", "copy_users", (0,))
STORES = Table("stores", "page_of_stores", "copy_stores", (0,))
# Of one store each:
MEMBERS = Table("members", "page_of_members", "copy_members", (0,))
TOKENS = Table("tokens", "page_of_tokens", "copy_tokens", (b"",))
PLANTS = Table("plants", "page_of_plants", "copy_plants", (INT64_MIN,))
EVENTS = Table("events", "page_of_events", "copy_events", (0,))
KEYS = Table("idempotency keys", "page_of_keys", "copy_keys", (0, ""))


def read_pages(session: Queries, table: Table, *store: int) -> Iterator[Sequence[Row]]:
    """The rows in pages; ``store`` is the store's id, if the table has one."""
    width = len(table.first)
    start = table.first
    last: tuple[Any, ...] | None = None
    while True:
        page = session.query(table.read, *store, *start, PAGE_ROWS)
        # It begins with the previous page's last row, since there is no key above the highest;
        # unless that row was deleted meanwhile.
        rows = page[1:] if page and tuple(page[0][:width]) == last else page
        if rows:
            yield rows
        if len(page) < PAGE_ROWS:
            return
        start = last = tuple(page[-1][:width])


def read_rows(session: Queries, table: Table, *store: int) -> Iterator[Row]:
    """The rows, one after another."""
    return chain.from_iterable(read_pages(session, table, *store))


def find_first_event(session: Queries, store_id: int) -> int:
    """The revision of the first event that a store still has; above all where it has none."""
    rows = session.query(EVENTS.read, store_id, 0, 1)
    return int(rows[0][0]) if rows else INT64_MAX


def pair_rows(sources: Iterator[Row], targets: Iterator[Row]) -> Iterator[Pair]:
    """Pairs of rows with the same first column; None if one side has no such row."""
    source, target = next(sources, None), next(targets, None)
    while source is not None or target is not None:
        if target is None or (source is not None and source[0] < target[0]):
            yield source, None
            source = next(sources, None)
        elif source is None or target[0] < source[0]:
            yield None, target
            target = next(targets, None)
        else:
            yield source, target
            source, target = next(sources, None), next(targets, None)


def in_parts(items: Iterable[Item]) -> Iterator[list[Item]]:
    """The items, some thousand at a time."""
    iterator = iter(items)
    while part := list(islice(iterator, PAGE_ROWS)):
        yield part
