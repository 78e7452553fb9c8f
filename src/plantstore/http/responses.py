"""Makes responses: JSON, headers, conditional requests, and what clients prefer."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

import msgspec

from plantstore.server.messages import HeaderLines, Response

JSON = b"Content-Type: application/json\r\n"
NO_STORE = b"Cache-Control: no-store\r\n"

_MAX_CHOICES, _MAX_TAGS = 20, 100  # of a client; the rest of a header is ignored
_CR, _LF = b"\r\n"  # as numbers: searching for bytes costs 1 µs more
STATUS_LINES = {it.value: f"HTTP/1.1 {it.value} {it.phrase}\r\n".encode() for it in HTTPStatus}
encode = msgspec.json.Encoder().encode

Record = dict[str, Any]  # a JSON object


def make_response(status: int, headers: HeaderLines, body: bytes | None = None) -> Response:
    """Make a response; without a ``body`` it has no Content-Length."""
    if body is None:
        return Response(STATUS_LINES[status] + headers)
    head = b"%s%sContent-Length: %d\r\n" % (STATUS_LINES[status], headers, len(body))
    return Response(head, body)


NO_CONTENT = make_response(204, b"")


def header_line(name: str, value: bytes) -> HeaderLines:
    """One header line.

    :raises ValueError: the value would end the line.
    """
    if _CR in value or _LF in value:
        raise ValueError(f"the header {name} holds the end of a line")
    return b"%s: %s\r\n" % (name.encode(), value)


def revision_line(revision: int) -> HeaderLines:
    """The revision of the store that a response is about."""
    return b"Store-Revision: %d\r\n" % revision


def json_response(status: int, value: object, headers: HeaderLines = b"") -> Response:
    return make_response(status, JSON + headers, encode(value))


def to_record(**fields: object) -> Record:
    """The fields that are not None."""
    return {name: value for name, value in fields.items() if value is not None}


def is_current(etag: bytes, known: bytes | None) -> bool:
    """Whether If-None-Match names this entity tag, by weak comparison."""
    if known is None:
        return False
    first = known.split(b",", _MAX_TAGS)[:_MAX_TAGS]
    tags = [tag.strip().removeprefix(b"W/") for tag in first]
    return etag.removeprefix(b"W/") in tags or tags == [b"*"]


def read_weights(header: bytes) -> Mapping[bytes, float]:
    """The choices of an Accept or Accept-Encoding, in lower case, with weights from 0 to 1.

    Other parameters are ignored.
    """
    weights = {}
    for part in header.lower().split(b",", _MAX_CHOICES)[:_MAX_CHOICES]:
        choice, *parameters = part.replace(b" ", b"").replace(b"\t", b"").split(b";", _MAX_CHOICES)
        weight = next((it[2:] for it in parameters if it.startswith(b"q=")), b"1")
        try:
            weights[choice] = min(max(float(weight), 0.0), 1.0)
        except ValueError:
            weights[choice] = 0.0
    return weights
