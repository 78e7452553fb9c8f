"""The tags of a store over HTTP, read from an index, and cached like lists."""

from urllib.parse import quote

from plantstore.core.errors import NoSuchStoreError, RequestError
from plantstore.core.model import TEXT_LENGTHS, Scope, broken_rule
from plantstore.http.app import App
from plantstore.http.list_parameters import read_limit, read_one, read_parameters
from plantstore.http.lists import find_unmodified, make_headers
from plantstore.http.responses import JSON, encode, header_line, make_response
from plantstore.http.routes import reads
from plantstore.server.messages import Request, Response

_KEY = b"tags "  # no list has this key
_MAX_LIMIT = 1000
_WRITTEN_AT_A_TURN, _TAGS_AT_COST = 100, 4  # tags, up to 3 µs each


def add_tags(app: App) -> None:
    async def list_tags(request: Request, store_name: str | None = None) -> Response:
        caller = await app.authentication.admit(request, store_name, Scope.LIST)
        given = read_parameters(request.query, "limit", "after")
        limit = read_limit(given, 1, _MAX_LIMIT) or _MAX_LIMIT
        first = read_one(given, "after", _read_after, 40006, "")
        store_id, key = caller.store_id, _KEY + request.query
        cached = app.cache.get((store_id, caller.revision, key))
        response = find_unmodified(request, caller, key) or cached
        if response is not None:
            app.cache.put_request(request, response, caller)
            return response
        parts = []
        async with app.lanes.of(request):
            rows = await app.database.read("read_tags", store_id, first, limit + 1)
            for start in range(0, min(len(rows), limit), _WRITTEN_AT_A_TURN):
                some = rows[start : min(start + _WRITTEN_AT_A_TURN, limit)]
                await app.turns.take(caller.principal, len(some) // _TAGS_AT_COST)
                listed = [{"tag": tag, "count": count} for _, tag, count in some if count]
                parts.append(encode(listed)[1:-1])
        if not rows:
            raise NoSuchStoreError
        revision, *_ = rows[0]
        headers = make_headers(store_id, revision, key)
        if len(rows) > limit:
            last = quote(str(rows[limit - 1][1]), safe="")
            headers += header_line("Link", f'<?limit={limit}&after={last}>; rel="next"'.encode())
        response = make_response(200, JSON + headers, b"[%s]" % b",".join(parts))
        app.cache.put((store_id, revision, key), response)
        return response

    app.routes.add_of_store("/tags", reads(list_tags))


def _read_after(tag: str) -> str:
    """The first text that can follow a tag: no tag has a control character."""
    if rule := broken_rule(tag, *TEXT_LENGTHS["tag"]):
        raise RequestError(40006, reason=rule)
    return f"{tag}\x01"
