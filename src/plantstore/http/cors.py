"""CORS: pages of the allowed origins may call the service, with a token but never with cookies."""

from plantstore.http.answers import Answer, Headers
from plantstore.http.request import Request

_ANY = b"*"
_ALLOW_ORIGIN = b"access-control-allow-origin"
_VARY = (b"vary", b"Origin")
_EXPOSED = (
    b"access-control-expose-headers",
    b"Allow, ETag, Link, Retry-After, WWW-Authenticate, X-Request-Id",
)
_ALLOWED_HEADERS = (
    b"access-control-allow-headers",
    b"Authorization, Content-Type, Idempotency-Key, If-None-Match",
)
_MAX_AGE = (b"access-control-max-age", b"7200")


class Cors:
    """The headers for the origins of the settings; ``*`` stands for any."""

    def __init__(self, origins: tuple[str, ...]) -> None:
        self._origins = frozenset(origin.encode() for origin in origins)

    def headers_for(self, request: Request) -> Headers:
        """What an answer to this request needs."""
        origin = request.headers.get(b"origin")
        if _ANY in self._origins:
            return [] if origin is None else [(_ALLOW_ORIGIN, _ANY), _EXPOSED]
        if not self._origins:
            return []
        if origin in self._origins:
            return [_VARY, (_ALLOW_ORIGIN, origin), _EXPOSED]
        return [_VARY]

    def answer_options(self, methods: str) -> Answer:
        """The answer to OPTIONS: what is possible here, for people and for browsers."""
        allowed = methods.encode()
        headers: Headers = [(b"allow", allowed)]
        if self._origins:
            headers += [(b"access-control-allow-methods", allowed), _ALLOWED_HEADERS, _MAX_AGE]
        return Answer(204, headers)
