"""Reads and writes the tables for a copy, in pages, the same on every database.

Invariant: only a few pages are in memory. Rows are sorted by keys, which are integers or bytes:
every database and Python sort them alike.
"""

from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from plantstore.core.database import Row
from plantstore.core.model import INT64_MIN, PLANT_FIELDS, Store
from plantstore.sql.session import Queries

PAGE_ROWS = 5000

Pair = tuple[Row | None, Row | None]
Stores = tuple[int, int]  # the first and last id of a range


class Table(Struct, frozen=True):
    """A table: its name, and the queries that read a page and write rows.

    ``first`` is a lower bound of the keys. Rows of a store's table begin with the store's id, which
    ``first`` omits, then the other columns of the key.
    """

    name: str
    read: str
    write: str
    columns: tuple[str, ...]
    first: tuple[Any, ...] = ()

    def key(self, row: Row) -> tuple[Any, ...]:
        return tuple(row[: 1 + len(self.first)])


class StoreRow(Store, frozen=True):
    """A row of ``STORES``."""

    @property
    def identity(self) -> tuple[int, str, int]:
        """The store's identity: the columns written first."""
        return self.store_id, self.name, self.created_at

    @property
    def rows(self) -> int:
        """About how many plants and events it has."""
        return self.plants + self.revision - self.trimmed


USERS = Table("users", "page_of_users", "copy_users", ("user_id", "subject", "created_at"))
STORES = Table("stores", "page_of_stores", "copy_stores", StoreRow.__struct_fields__)
MEMBERS = Table("members", "page_of_members", "set_member", (
    "store_id", "user_id", "role", "since", "added_by",
), (0,))  # fmt: skip
TOKENS = Table("tokens", "page_of_tokens", "insert_token", (
    "store_id", "token_hash", "user_id", "all_stores", "scopes", "label", "created_at",
    "expires_at", "revoked_at",
), (b"",))  # fmt: skip
PLANTS = Table(
    "plants", "page_of_plants", "insert_plant", ("store_id", *PLANT_FIELDS), (INT64_MIN,)
)
EVENTS = Table("events", "page_of_events", "insert_event", (
    "store_id", "revision", "kind", *PLANT_FIELDS, "at", "user_id", "token_label", "token_id",
), (0,))  # fmt: skip
KEYS = Table("idempotency keys", "page_of_keys", "insert_key", (
    "store_id", "user_id", "key", "fingerprint", "outcome", "created_at",
), (0, ""))  # fmt: skip


def read_rows(session: Queries, table: Table, stores: Stores) -> Iterator[Row]:
    """The rows of these stores, read in pages."""
    start: tuple[Any, ...] = (stores[0], *table.first)
    last: tuple[Any, ...] | None = None
    while True:
        page = session.query(table.read, *start, stores[1], PAGE_ROWS)
        # A page begins with the previous page's last row, unless it was deleted meanwhile, since no
        # key can follow the highest.
        yield from page[1:] if page and table.key(page[0]) == last else page
        if len(page) < PAGE_ROWS:
            return
        start = last = table.key(page[-1])


def pair_rows(table: Table, ours: Iterator[Row], theirs: Iterator[Row]) -> Iterator[Pair]:
    """Pairs of rows with the same key; None on a side without such a row."""
    our, their = next(ours, None), next(theirs, None)
    while our is not None or their is not None:
        if their is None or (our is not None and table.key(our) < table.key(their)):
            yield our, None
            our = next(ours, None)
        elif our is None or table.key(their) < table.key(our):
            yield None, their
            their = next(theirs, None)
        else:
            yield our, their
            our, their = next(ours, None), next(theirs, None)
