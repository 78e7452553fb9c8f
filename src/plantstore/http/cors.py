"""CORS: pages of the allowed origins may call the service, with a token but never with cookies."""

from plantstore.http.responses import header_line, make_response
from plantstore.server.messages import HeaderLines, Request, Response

_ANY = b"*"
_VARY = b"Vary: Origin\r\n"
_EXPOSED = (
    b"Access-Control-Expose-Headers: "
    b"Allow, ETag, Idempotent-Replayed, Link, Location, Refused-Line, Retry-After, Store-Revision, "
    b"WWW-Authenticate, X-Request-Id, X-Total-Count\r\n"
)
_PREFLIGHT = (
    b"Access-Control-Allow-Headers: "
    b"Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, "
    b"Traceparent, X-Request-Id, *\r\n"  # * covers tracing headers; old browsers ignore it
    b"Access-Control-Max-Age: 7200\r\n"
)


class Cors:
    """Makes the headers for the allowed origins; ``*`` stands for any, ``none`` for no page.

    A response to a request without Origin gets ``plain``.
    """

    def __init__(self, origins: tuple[str, ...]) -> None:
        self._origins = frozenset(origin.encode() for origin in origins if origin != "none")
        self.plain = b"" if _ANY in self._origins or not self._origins else _VARY

    def headers_for(self, request: Request) -> HeaderLines:
        """The headers that let the requesting page read the response."""
        origin = request.headers.get(b"origin")
        # A refused request's head may not have been read up to its Origin.
        if _ANY in self._origins and (origin is not None or request.error is not None):
            return b"Access-Control-Allow-Origin: *\r\n" + _EXPOSED
        if origin is not None and origin in self._origins:
            return _VARY + header_line("Access-Control-Allow-Origin", origin) + _EXPOSED
        return self.plain

    def options_response(self, methods: str) -> Response:
        """The response to OPTIONS: methods, and CORS headers for browsers."""
        headers = header_line("Allow", methods.encode())
        if self._origins:
            headers += header_line("Access-Control-Allow-Methods", methods.encode()) + _PREFLIGHT
        return make_response(204, headers)
