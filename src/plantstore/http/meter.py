"""Counts what one serving process does, for its metrics; it costs a request a microsecond."""

from collections import defaultdict
from collections.abc import Iterator

from plantstore.http.response_cache import ResponseCache
from plantstore.metrics.catalogue import DURATIONS, SIZES
from plantstore.metrics.numbers import Histogram, Numbers, add_to
from plantstore.server.messages import Request, Response, Stream

_STATUS = slice(9, 12)  # of a head
_NO_TIME = [0.0] * (len(DURATIONS) + 1)

_OPERATIONS = {
    ("GET", "/plants"): "list",
    ("HEAD", "/plants"): "list",
    ("POST", "/plants"): "create",
    ("GET", "/plants/{id}"): "read",
    ("HEAD", "/plants/{id}"): "read",
    ("PUT", "/plants/{id}"): "update",
    ("DELETE", "/plants/{id}"): "delete",
    ("GET", "/events"): "events",
    ("HEAD", "/events"): "events",
    ("GET", "/me"): "me",
    ("HEAD", "/me"): "me",
}

Requests = tuple[str, bytes, int]  # of one operation, status and error number


def find_operation(method: str, route: str) -> str:
    """The operation that a metric names: list, create, ..., events, me or other."""
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
