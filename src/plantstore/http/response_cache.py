"""The cache of list responses: about ``size`` bytes, which stores share like a pool.

A response is found in two ways. By store, revision and query: the revision, read with the caller,
proves that the response is current. Or by the bytes of a complete request, if the database can tell
without a query that nothing was committed since: then nothing is parsed.
"""

import math
import time
from functools import partial
from itertools import islice

from msgspec import Struct

from plantstore.core.fair_queue import BYTES_SENT, CACHED
from plantstore.core.model import Caller, IsFresh, never_fresh
from plantstore.core.pools import EvictingPool
from plantstore.http.cors import Cors
from plantstore.server.messages import HeaderLines, Request, Response

Key = tuple[int, int, bytes]  # store, revision, and the form with the query as it was sent
Place = tuple[int, bytes]  # store and query: a newer revision's response replaces the older

_ENTRY_BYTES = 1000  # the approximate overhead of an entry
_ROUNDED = 1024  # bytes: most responses to a query then count the same as the one before
_MAX_REQUEST = 2048
_REQUESTS = 8  # the part of the size that only requests hold
_OLD_SECONDS = 60.0  # older responses of any store give way first: their store may be idle
_MAX_OLD = 8  # evicted at a time


class CachedRequest(Struct, frozen=True):
    """A request's caller and response; a refusal of the same bytes also gets the ``lines``.

    It expires with the caller's token, at ``expires_at``, in seconds.
    """

    caller: Caller
    response: Response
    lines: HeaderLines
    status: int
    expires_at: float
    cost: int  # in turns


class CachedResponse(Struct, frozen=True):
    """The response to a query at a revision, and the monotonic time when it was cached."""

    response: Response
    revision: int
    at: float
    size: int  # in bytes, as the pool counts it


class ResponseCache:
    """The list responses that a process caches.

    ``requests`` are earlier requests, by their bytes. It counts ``repeated`` requests by status,
    those ``refused``, and ``hits`` and ``misses`` of queries.
    """

    def __init__(self, size: int, cors: Cors) -> None:
        self._pool = EvictingPool("response_cache", size)
        self._cors = cors
        self.reset_counts()
        self._responses: dict[Place, CachedResponse] = {}  # the oldest first
        self.requests: dict[bytes, CachedRequest] = {}
        self._requests_used = 0
        self._unchanged: IsFresh = never_fresh  # of all cached requests

    @property
    def used(self) -> int:
        """Bytes of cached responses and requests."""
        return self._pool.used + self._requests_used

    def reset_counts(self) -> None:
        self.repeated = {200: 0, 304: 0}
        self.refused = self.hits = self.misses = 0

    def put_request(self, request: Request, response: Response, caller: Caller) -> None:
        """Cache the response to the bytes of a request, until something is committed."""
        raw = request.raw
        if not 0 < len(raw) <= _MAX_REQUEST or caller.unchanged is never_fresh:
            return
        if caller.unchanged is not self._unchanged:
            self._evict_requests()
            self._unchanged = caller.unchanged
        if raw in self.requests:
            return
        lines = self._cors.headers_for(request)
        whole = response.with_headers(lines)
        until = math.inf if caller.expires_at is None else caller.expires_at / 1000
        cost = CACHED + len(whole.body) // BYTES_SENT
        self.requests[raw] = CachedRequest(caller, whole, lines, response.status, until, cost)
        self._add_to_requests(len(raw) + len(whole.head) + _ENTRY_BYTES)

    def get(self, key: Key) -> Response | None:
        store_id, revision, query = key
        cached = self._responses.get((store_id, query))
        if cached is None or cached.revision != revision:
            self.misses += 1
            return None
        self.hits += 1
        return cached.response

    def put(self, key: Key, response: Response) -> None:
        """Cache the response to a query; a store beyond its share evicts its own oldest ones."""
        store_id, revision, query = key
        size = len(response.head) + len(response.body) + len(query) + _ENTRY_BYTES
        size += -size % _ROUNDED
        at, place = time.monotonic(), (store_id, query)
        earlier = self._responses.pop(place, None)
        if earlier is None or earlier.size != size:
            self._pool.remove(place)
            if size > self._pool.size:
                return
            if 2 * self._pool.used >= self._pool.size:  # a store may be at its share
                for old, cached in list(islice(self._responses.items(), _MAX_OLD)):
                    if cached.at < at - _OLD_SECONDS:
                        self._pool.remove(old)
                        self._evict(old)
            self._pool.put(place, store_id, partial(self._evict, place), size)
        self._responses[place] = CachedResponse(response, revision, at, size)

    def _evict(self, place: Place) -> None:
        self._add_to_requests(self._responses.pop(place).size)  # they may still hold it

    def _add_to_requests(self, size: int) -> None:
        self._requests_used += size
        if self._requests_used > self._pool.size // _REQUESTS:
            self._evict_requests()

    def _evict_requests(self) -> None:
        self.requests.clear()
        self._requests_used = 0
