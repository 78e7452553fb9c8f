"""Adds the events to an application, and trims those that are older than the setting says."""

from plantstore.core.pools import Pool
from plantstore.features.events import EventsSettings
from plantstore.features.events.listeners import Listeners
from plantstore.features.events.operations import EventOperations
from plantstore.features.events.retention import Retention
from plantstore.features.events.steady_clock import SteadyClock
from plantstore.http.app import App
from plantstore.http.routes import reads


def add_events(app: App) -> None:
    """Add the route, the gauge, and the trimming beside the requests."""
    places = app.pools.add_pool(Pool("listeners", app.settings.max_requests))
    listeners = Listeners(app.database, places)
    operations = EventOperations(app.database, app.authentication, app.turns, listeners)
    app.routes.add_of_store("/events", reads(operations.list_events))
    app.gauges["listeners"] = lambda: listeners.count
    app.at_close.append(listeners.close)
    if days := app.settings.of(EventsSettings).events_keep:
        retention = Retention(app.database, app.open_session, days, SteadyClock())
        app.run_beside(retention.run())
