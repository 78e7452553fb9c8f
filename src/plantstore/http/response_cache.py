"""The cache of list responses: at most ``size`` bytes.

A response is found in two ways. By store, revision and query: the revision, read with the caller,
proves that the response is valid. And by the bytes of a complete request: it is valid as long as
its caller, who has the store's revision, is what the database has. Where the database can tell
without a query that nothing was committed, no request is parsed for that.
"""

import math
from collections import OrderedDict

from msgspec import Struct

from plantstore.model import Caller, Unchanged, cannot_tell
from plantstore.server.messages import HeaderLines, Response

Key = tuple[int, int, bytes]  # store, its revision, the query as it was sent

_ENTRY_BYTES = 1000  # the overhead of an entry, roughly
_MAX_REQUEST = 2048
_FILLED = 0.9  # after an eviction, so that not each new response has one


class Remembered(Struct, frozen=True):
    """A request's caller and response, which is ``whole`` with the request's own ``lines``.

    It expires with the caller's token, at a time in seconds.
    """

    caller: Caller
    response: Response
    lines: HeaderLines
    whole: Response
    status: int
    expires_at: float


class ResponseCache:
    """The list responses that a process caches, in at most ``size`` bytes, of which ``used``.

    ``requests`` are complete requests seen before, by their bytes.
    It counts those ``recalled`` by their status, those ``refused`` instead, and the ``hits``
    and ``misses`` of queries.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self.used = 0
        self.recalled = {200: 0, 304: 0}
        self.refused = self.hits = self.misses = 0
        self._responses: OrderedDict[Key, Response] = OrderedDict()
        self.requests: dict[bytes, Remembered] = {}
        self._requests_used = 0
        self._unchanged: Unchanged = cannot_tell  # since all of their callers were read

    def remember(
        self, data: bytes, response: Response, caller: Caller, lines: HeaderLines = b""
    ) -> None:
        """Respond so to the same bytes, as long as the caller is current.

        The ``lines`` are those that any response to these bytes has.
        """
        if len(data) > _MAX_REQUEST:
            return
        if caller.unchanged is not self._unchanged:
            self._forget_requests()
            self._unchanged = caller.unchanged
        self.forget(data)
        whole = response.with_headers(lines)
        until = math.inf if caller.expires_at is None else caller.expires_at / 1000
        self.requests[data] = Remembered(caller, response, lines, whole, response.status, until)
        self._count_request(data, whole, 1)
        self._make_room()

    def forget(self, data: bytes) -> None:
        """Handle a request as one that was not seen before."""
        found = self.requests.pop(data, None)
        if found is not None:
            self._count_request(data, found.whole, -1)

    def get(self, key: Key) -> Response | None:
        """The response to a query, if it is cached."""
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
        self._forget_requests()  # they hold responses, too
        while self.used > _FILLED * self._size:
            self.used -= _measure(*self._responses.popitem(last=False))

    def _count_request(self, data: bytes, whole: Response, sign: int) -> None:
        used = sign * (len(data) + len(whole.head) + _ENTRY_BYTES)
        self._requests_used += used
        self.used += used

    def _forget_requests(self) -> None:
        self.requests.clear()
        self.used -= self._requests_used
        self._requests_used = 0


def _measure(key: Key, response: Response) -> int:
    return len(response.head) + len(response.body) + len(key[2]) + _ENTRY_BYTES
