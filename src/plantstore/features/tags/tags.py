"""The tags of a store over HTTP, from one index; kept as lists are, until the store changes."""

from plantstore.core.errors import NoSuchStoreError
from plantstore.core.model import Scope
from plantstore.http.app import App
from plantstore.http.list_parameters import refuse_misleading, split_parameters
from plantstore.http.lists import find_unmodified, make_headers
from plantstore.http.responses import JSON, make_response
from plantstore.http.routes import reads
from plantstore.server.messages import Request, Response

_KEY = b"tags "  # no list's


def add_tags(app: App) -> None:
    """Add ``GET /tags``."""

    async def list_tags(request: Request, store_name: str | None = None) -> Response:
        caller = await app.authentication.admit(request, store_name, Scope.LIST)
        refuse_misleading(split_parameters(request.query))
        store_id = caller.store_id
        cached = app.cache.get((store_id, caller.revision, _KEY))
        response = find_unmodified(request, caller, _KEY) or cached
        if response is not None:
            if request.raw:
                lines = app.cors.headers_for(request)
                app.cache.put_request(request.raw, response, caller, lines)
            return response
        rows = await app.database.read("read_tags", store_id)
        if not rows:
            raise NoSuchStoreError
        revision, tags = rows[0]
        response = make_response(200, JSON + make_headers(store_id, revision, _KEY), tags)
        app.cache.put((store_id, revision, _KEY), response)
        return response

    app.routes.add_of_store("/tags", reads(list_tags))
