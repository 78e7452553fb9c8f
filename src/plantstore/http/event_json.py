"""The JSON of events: who did it is only for owners.

Invariant: an event is written once for all who may see the same of it.
"""

import msgspec
from msgspec import Struct

from plantstore.clock import write_time
from plantstore.model import Event, NewPlant

_encode = msgspec.json.Encoder().encode


class ListedPlant(Struct, frozen=True, omit_defaults=True):
    """A plant with its id."""

    id: int
    name: str
    tag: str | None = None


class ListedEvent(Struct, frozen=True, omit_defaults=True):
    """An event as every member of the store sees it."""

    revision: int
    kind: str
    at: str
    plant: ListedPlant


class OwnersEvent(ListedEvent, frozen=True, omit_defaults=True):
    """An event as owners see it; what was not recorded is left out."""

    user: str | None = None
    token_label: str = ""
    token_id: str = ""


class EncodedEvents:
    """Events of a store, by revision; ``last`` is the last one's."""

    def __init__(self, events: tuple[Event, ...]) -> None:
        self._events = events
        self._streams: dict[bool, bytes] = {}
        self.first = events[0].revision
        self.last = events[-1].revision

    def to_stream(self, *, for_owner: bool) -> bytes:
        """As events of a stream: server-sent events."""
        written = self._streams.get(for_owner)
        if written is None:
            written = b"".join(_to_message(event, for_owner) for event in self._events)
            self._streams[for_owner] = written
        return written


def to_array(events: tuple[Event, ...], *, for_owner: bool) -> bytes:
    """The events as a JSON array."""
    return _encode([_describe(event, for_owner) for event in events])


def _to_message(event: Event, for_owner: bool) -> bytes:  # noqa: FBT001 - of this module
    data = _encode(_describe(event, for_owner))
    return b"id: %d\nevent: %s\ndata: %s\n\n" % (event.revision, event.kind.encode(), data)


def _describe(event: Event, for_owner: bool) -> ListedEvent:  # noqa: FBT001 - of this module
    plant: NewPlant = event.plant
    what = (event.revision, event.kind, write_time(event.at))
    listed = ListedPlant(plant.id, plant.name, plant.tag)
    if not for_owner:
        return ListedEvent(*what, listed)
    return OwnersEvent(*what, listed, event.subject, event.token_label, event.token_id)
