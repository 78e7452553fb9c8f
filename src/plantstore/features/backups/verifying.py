"""``plantstore verify``: whether a database is consistent.

Invariant: only a few rows of the database are in memory at a time.
"""

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from itertools import islice

from msgspec import Struct

from plantstore.cli.administration_log import changing
from plantstore.core.database import Row
from plantstore.core.model import INT64_MAX
from plantstore.databases import open_session, reading
from plantstore.sql.administration.records import require_store
from plantstore.sql.session import Queries
from plantstore.sqlite.reader import SQLiteReader

MAX_MISMATCHES = 20
_PAGE_ROWS = 1000

_OF_LAST_EVENT = {
    "missing": "it is missing, though its last event (revision {}) does not delete it",
    "deleted": "it is there, though its last event (revision {}) deletes it",
    "different": "it differs from its last event (revision {})",
}


class Mismatch(Struct, frozen=True):
    """An inconsistency, of this ``store`` and the plant with this ``id``, if any."""

    store: str | None
    id: int | None
    what: str

    @property
    def sentence(self) -> str:
        plant = "" if self.id is None else f", plant {self.id}"
        return f"{self.store}{plant}: {self.what}" if self.store else self.what


class Verification(Struct, frozen=True):
    """The counts, and the first mismatches; ``more`` says whether there are others."""

    ok: bool
    stores: int
    plants: int
    events: int
    mismatches: Sequence[Mismatch]
    more: bool


def verify(url: str) -> Verification:
    """Verify that a database is consistent, in a snapshot.

    :raises SetupError: it does not exist, or cannot be read.
    """
    counts: Counter[str] = Counter()
    with reading(url) as reader:
        errors = list(islice(_find(reader, counts), MAX_MISMATCHES + 1))
    sums = (counts["stores"], counts["plants"], counts["events"])
    return Verification(not errors, *sums, errors[:MAX_MISMATCHES], len(errors) > MAX_MISMATCHES)


def repair(url: str) -> tuple[Verification, Sequence[Mismatch]]:
    """Correct counts, and renew the stores' revisions; returns what is left, and what was mended.

    A plant that differs from its last event is not changed: either may be right.

    :raises SetupError: the database cannot be written.
    """
    with reading(url) as reader:
        wrong = [it for it in _find(reader, Counter()) if it.store is not None and it.id is None]
    with closing(open_session(url)) as session:
        for name in {str(mismatch.store) for mismatch in wrong}:
            with changing(session, "verify --repair", store=name):
                store_id = require_store(session, name).store_id
                session.query("renew_revisions", store_id, store_id, time.time_ns() // 1000)
                session.query("recount", store_id)
    return verify(url), wrong


def _find(reader: Queries, counts: Counter[str]) -> Iterator[Mismatch]:
    if isinstance(reader, SQLiteReader):  # PostgreSQL has tools of its own, such as pg_amcheck
        for damage in reader.find_damage():
            yield Mismatch(None, None, damage)
    last = 0
    while stores := reader.query("page_of_stores", last + 1, INT64_MAX, _PAGE_ROWS):
        for store in stores:
            yield from _find_in_store(reader, store, counts)
        counts["stores"] += len(stores)
        last = stores[-1][0]


def _find_in_store(reader: Queries, store: Row, counts: Counter[str]) -> Iterator[Mismatch]:
    store_id, name, created_at, plants, _, trimmed, revision = store
    ((held, events, first, last, later),) = reader.query("count_to_verify", store_id, trimmed)
    counts.update(plants=held, events=events)
    if held != plants:
        yield Mismatch(name, None, f"it has {held} plants, and counts {plants}")
    if later != revision - trimmed or (last or 0) > revision:
        latest = f"{later} events after revision {trimmed}, the last at {last}"
        yield Mismatch(name, None, f"it has {latest}, and is at revision {revision}")
    for plant_id, kind, event in reader.query("find_mismatches", store_id, MAX_MISMATCHES + 1):
        yield Mismatch(name, plant_id, _OF_LAST_EVENT[kind].format(event))
    begin = trimmed if first is None else first - 1
    if begin in {0, created_at * 1000}:  # as ``insert_revision`` begins: no events were trimmed
        for (plant_id,) in reader.query("find_plants_without_event", store_id, MAX_MISMATCHES + 1):
            yield Mismatch(name, plant_id, "it has no event, though none was trimmed")
