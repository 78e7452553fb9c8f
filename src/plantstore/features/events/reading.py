"""Reads the events of a store as JSON, which the database makes."""

from msgspec import Struct

from plantstore.core.database import Database
from plantstore.core.errors import NoSuchStoreError, RequestError
from plantstore.core.model import Caller, Role

# How events are written: beginning, a format of what precedes each, what separates them, end;
# whether the plant's id is there as a string too.
Form = tuple[str | bool | None, ...]
ARRAY: Form = ("[", "", ",", "]", False)
STREAM: Form = ("", "id: %s\nevent: %s\ndata: ", "\n\n", "\n\n", False)  # server-sent events
NO_EVENTS: Form = (None,) * 5


class EventPage(Struct, frozen=True):
    """Events of one store, of the revisions after ``after`` up to ``last``, all read together.

    ``revision`` is the store's own. ``users`` names who did each, for owners.
    """

    revision: int
    is_whole: bool  # none was removed: they begin with the store
    after: int
    last: int
    users: str | None
    events: bytes


def including(form: Form, included: frozenset[str]) -> Form:
    """The form, with each plant's id as a string if that is included."""
    return (*form[:4], bool(included))


async def read_page(
    database: Database, store_id: int, after: int, max_count: int, form: Form, *, for_owner: bool
) -> EventPage | None:
    """At most ``max_count`` events after a revision, the first ones; None if no such store.

    They begin after the trimmed revision, if that is later; from there on, revisions have no gaps.
    """
    count = 0 if form is NO_EVENTS and not for_owner else max_count
    rows = await database.read("read_events", store_id, after, count, for_owner, *form)
    if not rows:
        return None
    revision, trimmed, is_whole, users, events = rows[0]
    after = max(after, trimmed)
    last = max(after, min(after + max_count, revision))
    return EventPage(revision, bool(is_whole), after, last, users, events or b"")


async def require_page(
    database: Database, caller: Caller, after: int | None, max_count: int, form: Form
) -> EventPage:
    """As ``read_page``, as the caller may see it; without ``after`` the first events there are.

    0 is before the first event of any store: where a client begins that has nothing yet.

    :raises NoSuchStoreError: there is no such store.
    :raises RequestError: what follows the revision is trimmed, or it is of another history, as far
        as a revision tells that the store has not reached.
    """
    selected = (caller.store_id, after or 0, max_count)
    page = await read_page(database, *selected, form, for_owner=caller.role is Role.OWNER)
    if page is None:
        raise NoSuchStoreError
    is_first = after == 0 and page.is_whole
    if after is not None and not is_first and not page.after == after <= page.revision:
        raise RequestError(41001, after=after)
    return page
