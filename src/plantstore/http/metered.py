"""The application with metrics: they are counted, measured and reported until it is closed."""

import asyncio
from collections.abc import Sequence
from functools import partial
from socket import socket

from plantstore.database import Database
from plantstore.errors import PlantStoreError
from plantstore.http.app import App, Observer
from plantstore.http.meter import Meter
from plantstore.metrics.numbers import Gauges
from plantstore.metrics.reports import Reporter
from plantstore.settings import Settings
from plantstore.sql.session import OpenSession

_CHECK_SECONDS = 2.0
_CHECKS_PER_COUNT = 15


def metered_app(
    database: Database,
    settings: Settings,
    open_session: OpenSession,
    reports: socket,
    observers: Sequence[Observer] = (),
) -> App:
    """The application with these observers, which sends its reports to a socket."""
    meter = Meter()
    app = App(database, settings, open_session, [meter.observe, *observers])
    database.commit_observers.append(meter.observe_commit)
    watch = Watch(app, database)
    reporter = Reporter(reports, partial(meter.count, app.cache), watch.measure)
    app.run_beside(watch.run())
    app.run_beside(reporter.run())
    return app


class Watch:
    """Measures what there is now, and asks the database now and then."""

    def __init__(self, app: App, database: Database) -> None:
        self._app = app
        self._database = database
        self._known: Gauges = {}

    async def run(self) -> None:
        """Ask the database every few seconds whether it is ready, and at times for its stores."""
        while True:
            try:
                stores, plants = await self._database.count_all()
                self._known |= {("stores",): stores, ("plants",): plants}
                for _ in range(_CHECKS_PER_COUNT):
                    await self._database.check()
                    self._known[("ready",)] = 1
                    await asyncio.sleep(_CHECK_SECONDS)
            except PlantStoreError:
                self._known[("ready",)] = 0
                await asyncio.sleep(_CHECK_SECONDS)

    def measure(self) -> Gauges:
        """What there is now."""
        return {
            ("requests_in_flight",): self._app.in_flight,
            ("connections",): len(self._app.connections),
            ("listeners",): self._app.listeners,
            ("response_cache_bytes",): self._app.cache.used,
            **self._known,
            **self._database.gauges(),
        }
