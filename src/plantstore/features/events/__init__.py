"""What happened to a store's plants: read in pages, live, and by commands; old events are trimmed.

The core writes the events, in the transaction of the change.
"""

from plantstore.feature import Feature, Metric

FEATURE = Feature(
    name="events",
    adds_to="routes.add_events",
    commands={"event": "commands.event", "plant": "plant_commands.plant"},
    metrics=(Metric("listeners", "gauge", "Clients that listen to events"),),
)
