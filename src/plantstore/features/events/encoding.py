"""The JSON of events: who did it is only for owners.

Invariant: an event is written once for all who may see the same of it.
"""

from functools import cached_property

import msgspec
from msgspec import Struct

from plantstore.core.clock import write_time
from plantstore.core.model import NewPlant
from plantstore.features.events.reading import Event

_encode = msgspec.json.Encoder().encode


class ListedEvent(Struct, frozen=True, omit_defaults=True):
    """An event as every member of the store sees it."""

    revision: int
    kind: str
    at: str
    plant: NewPlant


class OwnersEvent(ListedEvent, frozen=True, omit_defaults=True):
    """An event as owners see it; what was not recorded is left out."""

    user: str | None = None
    token_label: str = ""
    token_id: str = ""


class EncodedEvents:
    """Events of a store, by revision; ``last`` is the last one's."""

    def __init__(self, events: tuple[Event, ...]) -> None:
        self._events = events
        self.last = events[-1].revision

    @cached_property
    def for_owners(self) -> bytes:
        """As owners are sent them: server-sent events."""
        return b"".join(_to_message(event, for_owner=True) for event in self._events)

    @cached_property
    def for_members(self) -> bytes:
        """As all others are sent them."""
        return b"".join(_to_message(event, for_owner=False) for event in self._events)


def to_array(events: tuple[Event, ...], *, for_owner: bool) -> bytes:
    """The events as a JSON array."""
    return _encode([_describe(event, for_owner=for_owner) for event in events])


def _to_message(event: Event, *, for_owner: bool) -> bytes:
    data = _encode(_describe(event, for_owner=for_owner))
    return b"id: %d\nevent: %s\ndata: %s\n\n" % (event.revision, event.kind.encode(), data)


def _describe(event: Event, *, for_owner: bool) -> ListedEvent:
    seen_by_all = (event.revision, event.kind, write_time(event.at), event.plant)
    if not for_owner:
        return ListedEvent(*seen_by_all)
    return OwnersEvent(*seen_by_all, event.subject, event.token_label, event.token_id)
