"""What happened to a store's plants, over HTTP: as pages of JSON, or live as server-sent events."""

from functools import partial
from hashlib import sha256

from plantstore.core.database import Database
from plantstore.core.errors import RequestError
from plantstore.core.model import Caller, Role, Scope
from plantstore.features.events.encoding import to_array
from plantstore.features.events.listeners import Listeners, require_page
from plantstore.features.events.reading import EventPage
from plantstore.http.accept import read_weights
from plantstore.http.authentication import Authentication
from plantstore.http.list_parameters import read_integer, read_one, split_parameters
from plantstore.http.responses import JSON, NO_STORE, header_line, is_current, make_response
from plantstore.server.messages import Request, Response, Stream

_DEFAULT_LIMIT = 100
_MAX_LIMIT = 1000
_MAX_REVISION = 2**53 - 1  # what every client can read
_VARY = b"Vary: Accept, Authorization\r\n"
_CACHING = b"Cache-Control: private, no-cache\r\n" + _VARY
# nginx keeps back what it takes for a part of a response.
_LIVE = b"Content-Type: text/event-stream\r\nX-Accel-Buffering: no\r\n" + NO_STORE + _VARY


class EventOperations:
    """The events of all stores."""

    def __init__(
        self, database: Database, authentication: Authentication, listeners: Listeners
    ) -> None:
        self._database = database
        self._authentication = authentication
        self._listeners = listeners

    async def list_events(
        self, request: Request, store_name: str | None = None
    ) -> Response | Stream:
        """List the events after a revision, or send them as they happen."""
        caller = await self._authentication.admit(request, store_name, Scope.LIST)
        after, limit = _read_parameters(request.query)
        last_id = _read_last_id(request)
        if _wants_stream(request):
            return await self._listen(request, caller, after if last_id is None else last_id)
        page = await require_page(self._database, caller.store_id, after, limit)
        return _respond(request, caller, page, limit)

    async def _listen(
        self, request: Request, caller: Caller, after: int | None
    ) -> Response | Stream:
        listener = await self._listeners.add(caller, after)
        head = make_response(200, _LIVE)
        remove = partial(self._listeners.remove, listener)
        if request.method == "HEAD":
            await remove()
            return head
        return Stream(head.head, listener.read_parts(), remove, stop=listener.end)


def _respond(request: Request, caller: Caller, page: EventPage, limit: int) -> Response:
    body = to_array(page.events, for_owner=caller.role is Role.OWNER)
    has_more = bool(page.events) and page.events[-1].revision < page.revision
    # Of the body: an event never changes, but who did it may get another name, or none.
    etag = b'"%s%d"' % (sha256(body).hexdigest()[:16].encode(), has_more)
    headers = header_line("ETag", etag) + _CACHING
    if is_current(etag, request.headers.get(b"if-none-match")):
        return make_response(304, headers)
    if has_more:
        link = b'<?after=%d&limit=%d>; rel="next"' % (page.events[-1].revision, limit)
        headers += header_line("Link", link)
    return make_response(200, JSON + headers, body)


def _wants_stream(request: Request) -> bool:
    accepted = request.headers.get(b"accept")
    if accepted is None or b"event-stream" not in accepted.lower():
        return False
    weights = read_weights(accepted)
    return weights.get(b"text/event-stream", 0) > weights.get(b"application/json", 0)


def _read_parameters(text: bytes) -> tuple[int | None, int]:
    """The revision that the events follow, None where there is none; and how many at most."""
    given = split_parameters(text)
    after = read_one(given, "after", _read_after, 40006, None)
    return after, read_one(given, "limit", _read_limit, 40005, _DEFAULT_LIMIT)


def _read_last_id(request: Request) -> int | None:
    """What a client sends that comes back: the id of the last event that it has."""
    last_id = request.headers.get(b"last-event-id")
    return None if last_id is None else _read_after(last_id.decode("latin-1"))


def _read_after(text: str) -> int:
    after = read_integer(text)
    if after is None or not 0 <= after <= _MAX_REVISION:
        reason = f"or Last-Event-ID must be a revision: a whole number from 0 to {_MAX_REVISION}"
        raise RequestError(40006, reason=reason)
    return after


def _read_limit(text: str) -> int:
    limit = read_integer(text)
    if limit is None or not 1 <= limit <= _MAX_LIMIT:
        raise RequestError(40005, reason=f"must be a whole number from 1 to {_MAX_LIMIT}")
    return limit
