"""Reads the events of a store as JSON, made by the database."""

from msgspec import Struct
from msgspec.structs import astuple

from plantstore.core.database import Database
from plantstore.core.errors import NoSuchStoreError, RequestError
from plantstore.core.model import Caller, Role


class Form(Struct, frozen=True):
    """How events are written: ``start`` formats what precedes each, from its revision and kind.

    With ``has_id_text`` the plant's id is also a string.
    """

    opening: str | None
    start: str | None
    separator: str | None
    closing: str | None
    has_id_text: bool = False


ARRAY = Form("[", "", ",", "]")
STREAM = Form("", "id: %s\nevent: %s\ndata: ", "\n\n", "\n\n")  # server-sent events
NO_EVENTS = Form(None, None, None, None)


class EventPage(Struct, frozen=True):
    """Events of one store, after the revision ``after`` up to ``last``, read at once.

    ``revision`` is the store's. For owners, ``users`` names the user of each event.
    """

    revision: int
    is_whole: bool  # no events were trimmed: they begin with the store
    after: int
    last: int
    users: str | None
    events: bytes


async def read_page(
    database: Database, store_id: int, after: int, max_count: int, form: Form, *, for_owner: bool
) -> EventPage | None:
    """The first ``max_count`` events after a revision; None if there is no such store.

    If later events were trimmed, they begin after the last trimmed revision; then no revision is
    missing.
    """
    count = 0 if form is NO_EVENTS and not for_owner else max_count
    rows = await database.read("read_events", store_id, after, count, for_owner, *astuple(form))
    if not rows:
        return None
    revision, trimmed, is_whole, users, events = rows[0]
    after = max(after, trimmed)
    last = max(after, min(after + max_count, revision))
    return EventPage(revision, bool(is_whole), after, last, users, events or b"")


async def require_page(
    database: Database, caller: Caller, after: int | None, limit: int = 0, form: Form = NO_EVENTS
) -> EventPage:
    """See ``read_page``; reads what the caller may see, without ``after`` the oldest events.

    Revision 0 precedes the first event of any store: a client without data begins there.

    :raises NoSuchStoreError: there is no such store.
    :raises RequestError: events after the revision are trimmed, or the store has not reached the
        revision, which is from another history.
    """
    selected = (caller.store_id, after or 0, limit)
    page = await read_page(database, *selected, form, for_owner=caller.role is Role.OWNER)
    if page is None:
        raise NoSuchStoreError
    is_first = after == 0 and page.is_whole
    if after is not None and not is_first and not page.after == after <= page.revision:
        raise RequestError(41001, after=after)
    return page
