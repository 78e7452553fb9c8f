"""Counts and measures what one serving process does, for its metrics, and reports it.

It costs a request a microsecond, and nothing without metrics.
"""

import asyncio
from collections import defaultdict
from collections.abc import Iterator
from functools import partial
from socket import socket

from plantstore.database import Database
from plantstore.errors import PlantStoreError
from plantstore.http.app import App
from plantstore.http.response_cache import ResponseCache
from plantstore.metrics.catalogue import DURATIONS, SIZES
from plantstore.metrics.numbers import Gauges, Histogram, Numbers, add_to
from plantstore.metrics.reports import Reporter
from plantstore.server.messages import Request, Response, Stream

_CHECK_SECONDS = 2.0
_CHECKS_PER_COUNT = 15
_STATUS = slice(9, 12)  # of a head
_NO_TIME = [0.0] * (len(DURATIONS) + 1)

_OPERATIONS = {
    ("GET", "/plants"): "list",
    ("POST", "/plants"): "create",
    ("GET", "/plants/{id}"): "read",
    ("PUT", "/plants/{id}"): "update",
    ("DELETE", "/plants/{id}"): "delete",
    ("GET", "/events"): "events",
    ("GET", "/me"): "me",
}

Requests = tuple[str, bytes, int]  # of one operation, status and error number


def add_metrics(app: App, database: Database, reports: socket) -> None:
    """Have the application counted and measured, and reported to a socket, until it is closed."""
    meter = Meter()
    app.observers.append(meter.observe)
    database.commit_observers.append(meter.observe_commit)
    watch = Watch(app, database)
    reporter = Reporter(reports, partial(meter.count, app.cache), watch.measure)
    app.run_beside(watch.run())
    app.run_beside(reporter.run())


def find_operation(method: str, route: str) -> str:
    """The operation that a metric names: list, create, ..., events, me or other."""
    method = "GET" if method == "HEAD" else method
    return _OPERATIONS.get((method, route.removeprefix("/stores/{store}")), "other")


class Meter:
    """Counts requests and commits, which it observes."""

    def __init__(self) -> None:
        self._requests: defaultdict[Requests, Histogram] = defaultdict(lambda: Histogram(DURATIONS))
        self._batches = Histogram(SIZES)
        self._commits = Histogram(DURATIONS)

    def observe(self, request: Request, response: Response | Stream, seconds: float) -> None:
        """Count a request."""
        operation = find_operation(request.method, request.route)
        self._requests[operation, response.head[_STATUS], response.error].observe(seconds)

    def observe_commit(self, writes: int, seconds: float) -> None:
        """Count a transaction."""
        self._batches.observe(writes)
        self._commits.observe(seconds)

    def count(self, cache: ResponseCache) -> Numbers:
        """All that was counted, by this meter and the cache."""
        counted: Numbers = {
            ("write_batch_size",): tuple(self._batches.cells),
            ("commit_duration_seconds",): tuple(self._commits.cells),
            ("response_cache_hits_total",): (cache.hits + sum(cache.recalled.values()),),
            ("response_cache_misses_total",): (cache.misses,),
        }
        for (operation, status, error), cells in self._find_requests(cache):
            labels = (operation, status.decode(), str(error or ""))
            add_to(counted, ("requests_total", *labels), [sum(cells[:-1])])
            add_to(counted, ("request_duration_seconds", operation), cells)
        return counted

    def _find_requests(self, cache: ResponseCache) -> Iterator[tuple[Requests, list[float]]]:
        for requests, histogram in self._requests.items():
            yield requests, histogram.cells
        yield ("list", b"429", 42901), [cache.refused, *_NO_TIME]
        for status, count in cache.recalled.items():
            yield ("list", b"%d" % status, 0), [count, *_NO_TIME]


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
