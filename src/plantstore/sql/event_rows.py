"""Decodes the rows of events, which are alike on every database."""

from collections.abc import Sequence

from plantstore.model import DELETED_USER, Event, EventPage, NewPlant
from plantstore.sql.session import Row


def to_event(row: Row) -> Event:
    """The event in its row."""
    revision, kind, plant_id, name, tag, at, subject, label, token_id, user_id = row
    plant = NewPlant(plant_id, name, tag)
    return Event(revision, kind, plant, at, subject, label, token_id, user_id == DELETED_USER)


def to_event_page(rows: Sequence[Row]) -> EventPage | None:
    """The page, from one row per event, or one without an event; None for no rows."""
    if not rows:
        return None
    revision, trimmed, first, *_ = rows[0]
    events = () if first is None else tuple(to_event(row[2:]) for row in rows)
    return EventPage(revision, trimmed, events)
