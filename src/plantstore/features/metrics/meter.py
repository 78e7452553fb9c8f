"""Measures one serving process for its metrics.

This costs a few microseconds per request, and nothing without metrics.
"""

import asyncio
import platform
from functools import cache

import apsw
from prometheus_client import Counter

from plantstore.core.database import Database
from plantstore.core.errors import PlantStoreError
from plantstore.core.failures import observing
from plantstore.databases import is_postgres
from plantstore.features.metrics.catalogue import ManyHistogram, counter, gauge, histogram
from plantstore.http.app import App
from plantstore.http.response_cache import ResponseCache
from plantstore.server.messages import Request, Response, Stream
from plantstore.version import VERSION

_MEASURE_SECONDS = 1.0
_CHECK_SECONDS = 2.0
_CHECKS_PER_COUNT = 15

_OPERATIONS = {
    ("GET", "/plants"): "list",
    ("POST", "/plants"): "create",
    ("GET", "/plants/{id}"): "read",
    ("PUT", "/plants/{id}"): "update",
    ("DELETE", "/plants/{id}"): "delete",
    ("POST", "/changes"): "changes",
    ("GET", "/events"): "events",
    ("GET", "/me"): "me",
}


def measure(app: App) -> None:
    app.observe(_observe, 0.0)
    batches, commits = histogram("write_batch_size"), histogram("commit_duration_seconds")

    @observing
    def observe_commit(writes: int, seconds: float) -> None:
        batches.observe(writes)
        commits.observe(seconds)

    app.database.writes.observers.append(observe_commit)
    gauge("workers").set(1)
    gauge("process_start_time_seconds").set(app.began)
    is_sqlite = not is_postgres(app.settings.database)
    database = (apsw.sqlite_lib_version(), "sqlite") if is_sqlite else ("", "postgresql")
    gauge("build_info").labels(VERSION, platform.python_version(), *database).set(1)
    app.run_in_background(_measure(app))
    app.run_in_background(_check_database(app.database))


def _observe(request: Request, response: Response | Stream, seconds: float) -> None:
    method = "GET" if request.method == "HEAD" else request.method
    route = request.route.removeprefix("/stores/{store}")
    operation = _OPERATIONS.get((method, route), "other")
    requests, durations = _find(operation, response.status, response.error)
    requests.inc()
    durations.observe(seconds)


@cache  # in the library, finding a metric takes longer than counting
def _find(operation: str, status: int, error: int) -> tuple[Counter, ManyHistogram]:
    requests = counter("requests_total").labels(operation, status, error or "")
    return requests, histogram("request_duration_seconds").labels(operation)


async def _measure(app: App) -> None:
    """Once a second, set the gauges, and add the requests that only the cache has seen."""
    while True:
        _count_cached(app.cache)
        measured: dict[tuple[str, ...], float] = {
            ("requests_in_flight",): app.pools.requests.used,
            ("connections",): len(app.connections),
            ("response_cache_bytes",): app.cache.used,
        }
        measured |= {(name,): read() for name, read in app.gauges.items()}
        for pool in app.pools.all:
            measured["pool_used", pool.name] = pool.used
            measured["pool_size", pool.name] = pool.size
        measured |= app.database.gauges()
        for (name, *labels), value in measured.items():
            (gauge(name).labels(*labels) if labels else gauge(name)).set(value)
        await asyncio.sleep(_MEASURE_SECONDS)


def _count_cached(cache: ResponseCache) -> None:
    """Add the requests that only the cache has counted since the last call."""
    lists = {(status, 0): count for status, count in cache.repeated.items()}
    lists[429, 42901] = cache.refused
    for (status, error), count in lists.items():
        if count:
            requests, durations = _find("list", status, error)
            requests.inc(count)
            durations.observe_zeros(count)  # one by one, this would take as long as the responses
    counter("response_cache_hits_total").inc(cache.hits + sum(cache.repeated.values()))
    counter("response_cache_misses_total").inc(cache.misses)
    cache.reset_counts()


async def _check_database(database: Database) -> None:
    """Check every few seconds whether the database is ready, and count its stores now and then."""
    while True:
        try:
            ((stores, plants),) = await database.read("count_all")
            gauge("stores").set(stores)
            gauge("plants").set(plants)
            for _ in range(_CHECKS_PER_COUNT):
                await database.check()
                gauge("ready").set(1)
                await asyncio.sleep(_CHECK_SECONDS)
        except PlantStoreError:
            gauge("ready").set(0)
            await asyncio.sleep(_CHECK_SECONDS)
