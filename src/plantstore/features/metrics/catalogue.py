"""The table of all metrics: they are created and documented from it.

With several workers, prometheus-client keeps their values in files of a folder, which the
environment must name before the import.
"""

from functools import cache

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, disable_created_metrics

from plantstore.feature import Metric
from plantstore.features import FEATURES

PREFIX = "plantstore_"
REGISTRY = CollectorRegistry()
# Upper bounds of the buckets.
DURATIONS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)
SIZES = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)

# fmt: off
CATALOGUE = (
    Metric("requests_total", "counter", "Requests that got a response; error is the error's number, or empty", ("operation", "status", "error")),
    Metric("request_duration_seconds", "histogram", "Seconds from a request's head to its response, or to the beginning of a stream; 0 where the response was cached for the same bytes", ("operation",), DURATIONS),
    Metric("requests_in_flight", "gauge", "Requests in flight"),
    Metric("connections", "gauge", "Open connections of clients"),
    Metric("streams", "gauge", "Long lists that are being sent"),
    Metric("pool_used", "gauge", "Units in use of a pool that all clients share, such as requests, connections and unsent_bytes", ("pool",)),
    Metric("pool_size", "gauge", "Total units of a pool; one store or network has at most half of them", ("pool",)),
    Metric("write_queue_depth", "gauge", "Creates, updates and deletes waiting for the next batch"),
    Metric("write_batch_size", "histogram", "Creates, updates and deletes per transaction", (), SIZES),
    Metric("commit_duration_seconds", "histogram", "Seconds of a transaction's commit, until it is durable; on PostgreSQL with its statement", (), DURATIONS),
    Metric("response_cache_hits_total", "counter", "Lists whose response was cached"),
    Metric("response_cache_misses_total", "counter", "Lists that were read from the database"),
    Metric("response_cache_bytes", "gauge", "Bytes of cached responses; the setting cache_size bounds them in each worker"),
    Metric("sqlite_database_bytes", "gauge", "Bytes of the SQLite file", merge="max"),
    Metric("sqlite_wal_bytes", "gauge", "Bytes of the SQLite file's write-ahead log", merge="max"),
    Metric("postgres_connections", "gauge", "Connections to PostgreSQL; state is in_use or idle", ("state",)),
    Metric("stores", "gauge", "Stores in the database, counted every 30 seconds", merge="max"),
    Metric("plants", "gauge", "Plants of all stores, counted every 30 seconds", merge="max"),
    Metric("ready", "gauge", "1 where every worker can use the database, else 0; checked every 2 seconds", merge="min"),
    Metric("workers", "gauge", "Processes that serve"),
    Metric("process_start_time_seconds", "gauge", "When the service started, as a Unix time", merge="min"),
    Metric("build_info", "gauge", "Always 1; the labels say what runs", ("version", "python", "sqlite", "database"), merge="max"),
    *(metric for feature in FEATURES.values() for metric in feature.metrics),
)
# fmt: on

_METRICS = {metric.name: metric for metric in CATALOGUE}
disable_created_metrics()  # type: ignore[no-untyped-call]  # it has no types


class ManyHistogram(Histogram):
    """A histogram that can observe many zeros at once."""

    def observe_zeros(self, count: int) -> None:
        self._buckets[0].inc(count)


@cache
def counter(name: str) -> Counter:
    """The counter with this name, created at its first use."""
    metric = _METRICS[name]
    return Counter(PREFIX + name, metric.description, metric.labels, registry=REGISTRY)


@cache
def gauge(name: str) -> Gauge:
    """The gauge with this name, created at its first use: no database has all gauges."""
    metric = _METRICS[name]
    about = (PREFIX + name, metric.description, metric.labels)
    return Gauge(*about, registry=REGISTRY, multiprocess_mode=metric.merge)


@cache
def histogram(name: str) -> ManyHistogram:
    """The histogram with this name, created at its first use."""
    metric = _METRICS[name]
    about = (PREFIX + name, metric.description, metric.labels)
    return ManyHistogram(*about, registry=REGISTRY, buckets=metric.bounds)
