"""Responses as the routes make them: JSON, its headers, and conditional ones."""

import msgspec

from plantstore.server.messages import HeaderLines, Response, make_response

JSON = b"Content-Type: application/json\r\n"
NO_STORE = b"Cache-Control: no-store\r\n"

_encode = msgspec.json.Encoder().encode


def json_response(status: int, value: object, headers: HeaderLines = b"") -> Response:
    """A response with a value as its JSON body."""
    return make_response(status, JSON + headers, _encode(value))


def is_current(etag: bytes, known: bytes | None) -> bool:
    """Whether If-None-Match names this entity tag; its comparison is the weak one."""
    if known is None:
        return False
    opaque = etag.removeprefix(b"W/")
    # The first test alone is quick, however long the header is.
    return (opaque in known or b"*" in known) and _names(opaque, known)


def _names(opaque: bytes, known: bytes) -> bool:
    tags = [tag.strip().removeprefix(b"W/") for tag in known.split(b",")]
    return opaque in tags or tags == [b"*"]
