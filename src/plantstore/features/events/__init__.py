"""The events of a store's plants: in pages, live, and by commands; old events are trimmed.

The core writes the events, in the transaction of the change.
"""

from typing import Annotated

from msgspec import Struct

from plantstore.core.settings import Days
from plantstore.feature import Feature, Metric


class EventsSettings(Struct, frozen=True):
    """The settings of events."""

    events_keep: Annotated[Days, "days that the events of a store are kept; 0 means forever"] = 90


FEATURE = Feature(
    adds_to="routes.add_events",
    settings=EventsSettings,
    commands={"event": "commands.event"},
    metrics=(Metric("listeners", "gauge", "Clients that listen to events"),),
)
