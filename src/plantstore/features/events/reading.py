"""Reads the events of a store: as JSON for those who follow it, or as a query selects them."""

from collections.abc import Iterator

from msgspec import Struct

from plantstore.core.database import Database, Row
from plantstore.core.model import NewPlant, Store
from plantstore.sql.session import Session

_PAGE_ROWS = 1000
_COMMAND_LINE = 0  # instead of a user's number


class Event(Struct, frozen=True):
    """One change to a store: ``plant.created``, ``plant.updated`` or ``plant.deleted``.

    ``plant`` is as the change left it, or as it was when it was deleted. ``subject`` is who did it,
    None for the command line and where ``is_user_deleted``; ``token_id`` is empty where it was not
    recorded.
    """

    revision: int
    kind: str
    plant: NewPlant
    at: int
    subject: str | None
    token_label: str
    token_id: str
    is_user_deleted: bool = False


# How events are written: beginning, a format of what precedes each, what separates them, end.
Form = tuple[str | None, ...]
ARRAY: Form = ("[", "", ",", "]")
STREAM: Form = ("", "id: %s\nevent: %s\ndata: ", "\n\n", "\n\n")  # server-sent events
NO_EVENTS: Form = (None,) * 4


class EventPage(Struct, frozen=True):
    """Events of one store, of the revisions after ``after`` up to ``last``, all read together.

    ``revision`` is the store's own. ``users`` names who did each, for owners.
    """

    revision: int
    trimmed: int  # the events up to this revision are removed
    is_whole: bool  # none was removed: they begin with the store
    after: int
    last: int
    users: str | None
    events: bytes


class EventQuery(Struct, frozen=True):
    """Which events: those after a revision, of a plant, by a user, since a Unix time in ms."""

    after: int = 0
    plant_id: int | None = None
    subject: str | None = None
    since: int | None = None


async def read_page(
    database: Database, store_id: int, after: int, max_count: int, form: Form, *, for_owner: bool
) -> EventPage | None:
    """At most ``max_count`` events after a revision, the first ones; None if no such store.

    Revisions have no gaps after the trimmed one.
    """
    count = 0 if form is NO_EVENTS and not for_owner else max_count
    rows = await database.read("read_events", store_id, after, count, for_owner, *form)
    if not rows:
        return None
    revision, trimmed, is_whole, users, events = rows[0]
    after = max(after, trimmed)
    last = max(after, min(after + max_count, revision))
    return EventPage(revision, trimmed, bool(is_whole), after, last, users, events or b"")


def list_events(session: Session, store: Store, query: EventQuery) -> Iterator[Event]:
    """The store's events, by revision, read in pages."""
    after = query.after
    while True:
        filters = (query.plant_id, query.subject, query.since, _PAGE_ROWS)
        rows = session.query("list_events", store.store_id, after, *filters)
        yield from map(_to_event, rows)
        if len(rows) < _PAGE_ROWS:
            return
        after = rows[-1][0]


def _to_event(row: Row) -> Event:
    revision, kind, *plant, at, subject, label, token_id, user_id = row
    is_deleted = subject is None and user_id != _COMMAND_LINE
    return Event(revision, kind, NewPlant(*plant), at, subject, label, token_id, is_deleted)
