"""Verifies that two databases are equal, by counts and checksums of their rows.

A checksum is the SHA-256 of a table's rows in the order of their keys, each a JSON array in UTF-8
on a line of its own: alike on every database. Idempotency keys are left out: they expire.
"""

import hashlib
from collections.abc import Iterator, Sequence
from itertools import zip_longest

import msgspec

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
    read_rows,
)
from plantstore.sql.session import Row, Session

_encoder = msgspec.json.Encoder()


class _Digest:
    """The count and the checksum of rows."""

    def __init__(self) -> None:
        self._count = 0
        self._sha = hashlib.sha256()

    def add(self, rows: Sequence[Row]) -> None:
        self._count += len(rows)
        self._sha.update(_encoder.encode_lines(rows))

    def __str__(self) -> str:
        return f"{self._count} with SHA-256 {self._sha.hexdigest()}"


def verify(source: Session, target: Session) -> Iterator[int]:
    """Compare everything; yields, repeatedly, how many more rows of stores were compared.

    :raises SetupError: something differs.
    """
    for table in (USERS, STORES):
        for _ in _verify_table(source, target, table, table.name):
            pass  # they are few
    for store_id, name, *_ in read_rows(source, STORES):
        for table in (MEMBERS, TOKENS, PLANTS, EVENTS):
            words = f"{table.name} of {name!r}"
            yield from _verify_table(source, target, table, words, store_id)


def _verify_table(
    source: Session, target: Session, table: Table, words: str, *store: int
) -> Iterator[int]:
    ours, theirs = _Digest(), _Digest()
    # Alternately, so that neither connection is idle for long and times out.
    sources, targets = read_pages(source, table, *store), read_pages(target, table, *store)
    for source_rows, target_rows in zip_longest(sources, targets, fillvalue=()):
        ours.add(source_rows)
        theirs.add(target_rows)
        yield len(source_rows)
    if str(ours) != str(theirs):
        raise SetupError(
            f"the {words} differ: {source.location} has {ours}, {target.location} has {theirs}; "
            "the target was changed outside the service: copy to an empty database"
        )
