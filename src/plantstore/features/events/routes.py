"""Adds the events to an application, and trims those that are older than the setting says."""

from plantstore.core.pools import Pool
from plantstore.features.events import EventsSettings
from plantstore.features.events.listeners import Listeners
from plantstore.features.events.operations import EventOperations
from plantstore.features.events.retention import trim
from plantstore.features.events.steady_clock import SteadyClock
from plantstore.http.app import App
from plantstore.http.routes import reads


def add_events(app: App) -> None:
    """Add the route, the gauge, and what runs beside the requests."""
    places = app.pools.add_pool(Pool("listeners", app.settings.max_requests))
    listeners = Listeners(app.database, places)
    app.routes.add_of_store("/events", reads(EventOperations(app, listeners).list_events))
    app.gauges["listeners"] = lambda: places.used
    app.run_beside(listeners.run())
    if days := app.settings.of(EventsSettings).events_keep:
        app.run_beside(trim(app.database, app.open_session, days, SteadyClock()))
