"""Answers: status, headers and body; how errors become them; whether the client has one already."""

from collections.abc import AsyncIterator, Awaitable, Callable

import msgspec
from msgspec import Struct

from plantstore.errors import ForbiddenError, InvalidTokenError, MissingTokenError, PlantStoreError
from plantstore.http.errors import ROWS, MethodNotAllowedError

Headers = list[tuple[bytes, bytes]]

JSON = (b"content-type", b"application/json")
NO_STORE = (b"cache-control", b"no-store")


class Answer(Struct, frozen=True):
    """A whole answer. ``body`` of one to a HEAD is not sent, but its length is told."""

    status: int
    headers: Headers
    body: bytes = b""


class Stream(Struct, frozen=True):
    """An answer whose body comes in parts, of unknown length; ``close`` it at any end."""

    headers: Headers
    parts: AsyncIterator[bytes]
    close: Callable[[], Awaitable[None]]
    status: int = 200


class ErrorBody(Struct, frozen=True):
    """The interface's Error."""

    error: int
    message: str


_encode = msgspec.json.Encoder().encode

_CHALLENGES = {
    MissingTokenError: b"Bearer",
    InvalidTokenError: b'Bearer error="invalid_token"',
    ForbiddenError: b'Bearer error="insufficient_scope"',
}


def answer_json(status: int, value: object, headers: Headers | None = None) -> Answer:
    """An answer with a value as its JSON body."""
    body = _encode(value)
    return Answer(status, [JSON, (b"content-length", b"%d" % len(body)), *(headers or [])], body)


def answer_error(error: PlantStoreError) -> Answer:
    """The answer that the table of errors has for this one."""
    row = ROWS[type(error)]
    headers: Headers = []
    if challenge := _CHALLENGES.get(type(error)):
        headers.append((b"www-authenticate", challenge))
    if isinstance(error, MethodNotAllowedError):
        headers.append((b"allow", str(error.details["allow"]).encode()))
    if row.status in (429, 503):
        retry_after = error.details.get("retry_after", 1)  # a commit takes milliseconds
        headers.append((b"retry-after", str(retry_after).encode()))
    message = row.message.format(**error.details)
    return answer_json(row.status, ErrorBody(row.number, message), headers)


def is_current(etag: bytes, known: bytes) -> bool:
    """Whether If-None-Match names this entity tag; its comparison is the weak one."""
    tags = [tag.strip().removeprefix(b"W/") for tag in known.split(b",")]
    return etag.removeprefix(b"W/") in tags or tags == [b"*"]
