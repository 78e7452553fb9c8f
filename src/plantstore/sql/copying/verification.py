"""Verifies that two databases are equal, row by row.

Idempotency keys are left out: they expire.
"""

from collections.abc import Iterator, Sequence
from itertools import zip_longest

from plantstore.errors import SetupError
from plantstore.sql.copying.tables import (
    EVENTS,
    MEMBERS,
    PLANTS,
    STORES,
    TOKENS,
    USERS,
    Table,
    read_pages,
)
from plantstore.sql.session import Row, Session


def verify(source: Session, target: Session) -> Iterator[int]:
    """Compare everything; yields, repeatedly, how many more rows of stores were compared.

    :raises SetupError: something differs.
    """
    for table in (USERS, STORES, MEMBERS, TOKENS, PLANTS, EVENTS):
        # Alternately, so that neither connection is idle for long and times out.
        pages = zip_longest(read_pages(source, table), read_pages(target, table), fillvalue=())
        for ours, theirs in pages:
            if list(ours) != list(theirs):
                raise SetupError(_describe(source, target, table, ours, theirs))
            if table not in {USERS, STORES}:
                yield len(ours)


def _describe(
    source: Session, target: Session, table: Table, ours: Sequence[Row], theirs: Sequence[Row]
) -> str:
    """Where the pages begin to differ, without what may be private."""
    found = next(pair for pair in zip_longest(ours, theirs) if pair[0] != pair[1])
    first = min(table.key(row) for row in found if row is not None)
    words = table.name
    if table not in {USERS, STORES}:
        store = source.query(STORES.read, first[0], first[0], 1) or [first]
        words = f"{table.name} of {store[0][1]!r}"
    number = first[-1].hex() if isinstance(first[-1], bytes) else first[-1]
    return (
        f"the {words} differ at {number} between {source.location} and {target.location}; "
        "the target was changed outside the service: copy to an empty database"
    )
