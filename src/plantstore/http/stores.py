"""The stores that a token opens, as a list of their own: for clients that offer a choice."""

from hashlib import sha256

import msgspec

from plantstore.http.authentication import Authentication
from plantstore.http.me import describe_store
from plantstore.http.responses import JSON, REVALIDATED, header_line, is_current, make_response
from plantstore.server.messages import Request, Response


async def list_stores(authentication: Authentication, request: Request) -> Response:
    """List the stores by name, with what the token may do in each."""
    bearer = await authentication.introspect(request)
    body = msgspec.json.encode([describe_store(store) for store in bearer.stores])
    etag = b'"%s"' % sha256(body).hexdigest()[:16].encode()
    headers = header_line("ETag", etag) + REVALIDATED
    if is_current(etag, request.headers.get(b"if-none-match")):
        return make_response(304, headers)
    return make_response(200, JSON + headers, body)
