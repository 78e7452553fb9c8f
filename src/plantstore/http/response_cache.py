"""The cache of list responses: at most ``size`` bytes.

A response is found in two ways. By store, revision and query: the revision, read with the caller,
proves that the response is current. Or by the bytes of a complete request, if the database can tell
without a query that nothing was committed since: then nothing is parsed.
"""

import math
from collections import OrderedDict

from msgspec import Struct

from plantstore.core.fair_queue import BYTES_SENT, CACHED
from plantstore.core.model import Caller, IsFresh, never_fresh
from plantstore.http.cors import Cors
from plantstore.server.messages import HeaderLines, Request, Response

Key = tuple[int, int, bytes]  # store, revision, and the form with the query as it was sent

_ENTRY_BYTES = 1000  # the approximate overhead of an entry
_MAX_REQUEST = 2048
_FILLED = 0.9  # after an eviction, so that not every new response evicts


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


class ResponseCache:
    """The list responses that a process caches: ``used`` of ``size`` bytes.

    ``requests`` are earlier requests, by their bytes. It counts ``repeated`` requests by status,
    those ``refused``, and ``hits`` and ``misses`` of queries.
    """

    def __init__(self, size: int, cors: Cors) -> None:
        self._size = size
        self._cors = cors
        self.used = 0
        self.reset_counts()
        self._responses: OrderedDict[Key, Response] = OrderedDict()
        self.requests: dict[bytes, CachedRequest] = {}
        self._requests_used = 0
        self._unchanged: IsFresh = never_fresh  # of all cached requests

    def reset_counts(self) -> None:
        """Reset all counts to 0."""
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
        used = len(raw) + len(whole.head) + _ENTRY_BYTES
        self._requests_used += used
        self.used += used
        self._make_room()

    def get(self, key: Key) -> Response | None:
        """The cached response to a query, if any."""
        response = self._responses.get(key)
        if response is None:
            self.misses += 1
        else:
            self.hits += 1
            self._responses.move_to_end(key)
        return response

    def put(self, key: Key, response: Response) -> None:
        """Cache the response to a query; the least recently used ones are evicted."""
        if key in self._responses:
            return
        self._responses[key] = response
        self.used += _measure(key, response)
        self._make_room()

    def _make_room(self) -> None:
        if self.used <= self._size:
            return
        self._evict_requests()  # requests also hold responses
        while self.used > _FILLED * self._size:
            self.used -= _measure(*self._responses.popitem(last=False))

    def _evict_requests(self) -> None:
        self.requests.clear()
        self.used -= self._requests_used
        self._requests_used = 0


def _measure(key: Key, response: Response) -> int:
    return len(response.head) + len(response.body) + len(key[2]) + _ENTRY_BYTES
