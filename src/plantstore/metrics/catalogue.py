"""All metrics: one table, from which they are served and documented."""

from collections.abc import Callable, Iterable
from enum import StrEnum

from msgspec import Struct

PREFIX = "plantstore_"
# Upper bounds of the buckets; one more is for what is above.
DURATIONS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)
SIZES = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)


class Kind(StrEnum):
    """Prometheus' types of metrics."""

    COUNTER = "counter"
    GAUGE = "gauge"
    HISTOGRAM = "histogram"


class Metric(Struct, frozen=True):
    """One metric. ``merge`` makes one value of a gauge out of those of all workers."""

    name: str
    kind: Kind
    description: str
    labels: tuple[str, ...] = ()
    bounds: tuple[float, ...] = ()
    merge: Callable[[Iterable[float]], float] = sum


# fmt: off
CATALOGUE = (
    Metric("requests_total", Kind.COUNTER, "Requests that got a response; error is the error's number, or empty", ("operation", "status", "error")),
    Metric("request_duration_seconds", Kind.HISTOGRAM, "Seconds from a request's head to its response, or to the beginning of a stream; 0 where the response was cached for the same bytes", ("operation",), DURATIONS),
    Metric("requests_in_flight", Kind.GAUGE, "Requests that have no response yet"),
    Metric("connections", Kind.GAUGE, "Open connections of clients"),
    Metric("streams", Kind.GAUGE, "Long lists that are being sent"),
    Metric("listeners", Kind.GAUGE, "Clients that listen to events"),
    Metric("write_queue_depth", Kind.GAUGE, "Creates, updates and deletes that wait for the next batch"),
    Metric("write_batch_size", Kind.HISTOGRAM, "Creates, updates and deletes of one transaction", (), SIZES),
    Metric("commit_duration_seconds", Kind.HISTOGRAM, "Seconds of a transaction's commit, until it is durable; on PostgreSQL with its statement", (), DURATIONS),
    Metric("response_cache_hits_total", Kind.COUNTER, "Lists whose response was cached"),
    Metric("response_cache_misses_total", Kind.COUNTER, "Lists that were read from the database"),
    Metric("response_cache_bytes", Kind.GAUGE, "Bytes of cached responses; the setting cache_size bounds them in each worker"),
    Metric("sqlite_database_bytes", Kind.GAUGE, "Bytes of the SQLite file", merge=max),
    Metric("sqlite_wal_bytes", Kind.GAUGE, "Bytes of the SQLite file's write-ahead log", merge=max),
    Metric("postgres_connections", Kind.GAUGE, "Connections to PostgreSQL; state is in_use or idle", ("state",)),
    Metric("stores", Kind.GAUGE, "Stores in the database, counted every 30 seconds", merge=max),
    Metric("plants", Kind.GAUGE, "Plants of all stores, counted every 30 seconds", merge=max),
    Metric("ready", Kind.GAUGE, "1 where every worker can use the database, else 0; checked every 2 seconds", merge=min),
    Metric("workers", Kind.GAUGE, "Processes that serve, as far as they reported within 5 seconds"),
    Metric("process_start_time_seconds", Kind.GAUGE, "When the service started, as a Unix time"),
    Metric("build_info", Kind.GAUGE, "Always 1; the labels say what runs", ("version", "python", "sqlite", "database")),
)
# fmt: on
