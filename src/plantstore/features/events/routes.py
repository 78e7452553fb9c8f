"""The events of a store's plants, over HTTP: as pages of JSON, or live as server-sent events.

Old events are trimmed.
"""

from functools import partial
from hashlib import sha256

from msgspec.structs import replace

from plantstore.core.errors import RequestError
from plantstore.core.fair_queue import ROUTED
from plantstore.core.model import Caller, Scope
from plantstore.core.pools import Pool
from plantstore.features.events import EventsSettings
from plantstore.features.events.listeners import Listeners
from plantstore.features.events.reading import ARRAY, STREAM, EventPage, Form, require_page
from plantstore.features.events.retention import EventTrimming, trim_access
from plantstore.http.app import App
from plantstore.http.list_parameters import (
    read_include,
    read_integer,
    read_limit,
    read_one,
    read_parameters,
)
from plantstore.http.responses import (
    JSON,
    NO_STORE,
    header_line,
    is_current,
    make_response,
    read_weights,
    revision_line,
)
from plantstore.http.routes import reads
from plantstore.server.messages import HeaderLines, Request, Response, Stream

_DEFAULT_LIMIT = 100
_MAX_LIMIT = 1000
_MAX_REVISION = 2**53 - 1  # every client can read it
_VARY = b"Vary: Accept, Authorization\r\n"
_CACHING = b"Cache-Control: private, no-cache\r\n" + _VARY
# Without it, nginx buffers the parts of a response.
_LIVE = b"Content-Type: text/event-stream\r\nX-Accel-Buffering: no\r\n" + NO_STORE + _VARY


def add_events(app: App) -> None:
    """Add the route, the gauge, and the background work."""
    slots = app.pools.add_pool(Pool("listeners", app.settings.max_requests))
    listeners = Listeners(app.database, app.lanes, slots)

    async def list_events(request: Request, store_name: str | None = None) -> Response | Stream:
        """List the events after a revision, or stream them as they happen."""
        caller = await app.authentication.admit(request, store_name, Scope.LIST)
        await app.turns.take(caller.principal, ROUTED)
        parameters = read_parameters(request.query, "after", "limit", "include")
        after: int | None = caller.revision
        if parameters.get("after") != ["latest"]:
            after = read_one(parameters, "after", _read_after, 40006, None)
        limit = read_limit(parameters, 1, _MAX_LIMIT) or _DEFAULT_LIMIT
        has_id_text = bool(read_include(parameters.get("include", []), "id_text"))
        accepted = read_weights(request.headers.get(b"accept", b""))
        is_live = accepted.get(b"text/event-stream", 0) > accepted.get(b"application/json", 0)
        form = replace(STREAM if is_live else ARRAY, has_id_text=has_id_text)
        if is_live:
            last_id = request.headers.get(b"last-event-id")  # of a client that reconnects
            if last_id is not None:
                after = _read_after(last_id.decode("latin-1"))
            if request.method == "HEAD":  # the same errors, but no listener
                await require_page(app.database, caller, after)
                return make_response(200, _LIVE)
            listener = await listeners.add(caller, after, form)
            head, remove = make_response(200, _LIVE).head, partial(listeners.remove, listener)
            return Stream(head, listener.read_parts(), remove, stop=listener.end)
        async with app.lanes.of(request):
            return await _read(app, request, caller, after, limit, form)

    app.routes.add_of_store("/events", reads(list_events))
    app.gauges["listeners"] = lambda: slots.used
    app.run_in_background(listeners.run())
    days = app.settings.of(EventsSettings).events_keep
    app.trim(days, EventTrimming().trim)
    app.trim(days, trim_access)


async def _read(
    app: App, request: Request, caller: Caller, after: int | None, limit: int, form: Form
) -> Response:
    known = request.headers.get(b"if-none-match")
    if request.method == "HEAD" or known is not None:
        page = await require_page(app.database, caller, after, limit)
        if is_current(etag := _make_etag(caller, page, form), known):
            headers = header_line("ETag", etag) + _CACHING + revision_line(page.revision)
            return make_response(304, headers)
        if request.method == "HEAD":
            return make_response(200, _make_headers(caller, page, limit, form))
    page = await require_page(app.database, caller, after, limit, form)
    return make_response(200, _make_headers(caller, page, limit, form), page.events)


def _make_headers(caller: Caller, page: EventPage, limit: int, form: Form) -> HeaderLines:
    headers = JSON + header_line("ETag", _make_etag(caller, page, form)) + _CACHING
    headers += revision_line(page.revision)
    if page.last < page.revision:
        include = b"&include=id_text" if form.has_id_text else b""
        link = b'<?after=%d&limit=%d%s>; rel="next"' % (page.last, limit, include)
        headers += header_line("Link", link)
    return headers


def _make_etag(caller: Caller, page: EventPage, form: Form) -> bytes:
    """The tag depends on users' names: events never change, but users are renamed and deleted."""
    etag = b"%x-%x-%x-%d" % (caller.store_id, page.after, page.last, page.last < page.revision)
    if page.users is not None:
        etag += b"-" + sha256(page.users.encode()).hexdigest()[:16].encode()
    return b'"%s-text"' % etag if form.has_id_text else b'"%s"' % etag


def _read_after(text: str) -> int:
    after = read_integer(text)
    if after is None or not 0 <= after <= _MAX_REVISION:
        reason = f"or Last-Event-ID must be a revision: a whole number from 0 to {_MAX_REVISION}"
        raise RequestError(40006, reason=reason)
    return after
