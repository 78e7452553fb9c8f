"""What passes between the server and the application: a request, and its response or stream."""

import asyncio
import secrets
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from http import HTTPStatus
from typing import Any, Protocol, Self

from msgspec import Struct
from msgspec.structs import replace

from plantstore.errors import RequestError
from plantstore.server.body import NO_BODY, Body

# Random for each process, so that ids of several processes and restarts do not meet.
ID_PREFIX = secrets.token_hex(6)

HeaderLines = bytes  # as they go over the wire: b"ETag: x\r\nLink: y\r\n"

_STATUS_LINES = {it.value: f"HTTP/1.1 {it.value} {it.phrase}\r\n".encode() for it in HTTPStatus}


class Request(Struct):
    """One request, begun when its head is whole; ``number`` is its place among the process's.

    ``path`` and ``query`` are as they were sent. Header names are in lower case; values of one
    name are joined by commas. ``error`` is set where the server refuses the request, and leaves it
    to the application to say so. ``wire`` is all of the request, where the same bytes may be
    answered by ``Application.recall`` next time.
    """

    number: int
    method: str
    headers: Mapping[bytes, bytes]
    path: bytes = b""
    query: bytes = b""
    body: Body = NO_BODY
    error: RequestError | None = None
    wire: bytes | None = None

    @property
    def id(self) -> str:
        """What the response's X-Request-Id says, for the log."""
        return f"{ID_PREFIX}-{self.number:x}"


class Response(Struct, frozen=True):
    """A whole response: its status line and own header lines, and its body.

    The server adds the headers that every response has, and leaves out the body of one to HEAD.
    ``is_shared`` says that the body is kept in any case: who takes it slowly costs no memory.
    """

    head: bytes
    body: bytes = b""
    is_shared: bool = False

    def with_headers(self, lines: HeaderLines) -> Self:
        """The response with more header lines."""
        return replace(self, head=self.head + lines) if lines else self


class Stream(Struct, frozen=True):
    """A response whose body comes in parts, of unknown length; ``close`` is called at its end."""

    head: bytes
    parts: AsyncIterator[bytes]
    close: Callable[[], Coroutine[Any, Any, None]]

    def with_headers(self, lines: HeaderLines) -> Self:
        """The stream with more header lines."""
        return replace(self, head=self.head + lines) if lines else self


Handling = Coroutine["asyncio.Future[Any] | None", None, Response | Stream]


class Application(Protocol):
    """What the server serves."""

    def recall(self, data: bytes) -> Response | None:
        """The response to these very bytes, a whole request seen before, if it is still right."""

    def handle(self, request: Request) -> Handling:
        """The response to a request; it raises nothing but ``ClientGoneError``.

        It runs outside of a task: what needs one (a timeout, a task group) is to start it.
        """

    async def wait_until_broken(self) -> Exception:
        """Wait for an error after which the process must not go on, and give it."""

    async def close(self) -> None:
        """Finish what was begun, and let all resources go."""


def make_response(status: int, headers: HeaderLines, body: bytes | None = None) -> Response:
    """A response; ``body`` None is for those that have none, not even an empty one."""
    if body is None:
        return Response(_STATUS_LINES[status] + headers)
    head = b"%s%sContent-Length: %d\r\n" % (_STATUS_LINES[status], headers, len(body))
    return Response(head, body)


def header_line(name: str, value: bytes) -> HeaderLines:
    """One header line.

    :raises ValueError: the value would end the line.
    """
    if b"\r" in value or b"\n" in value:
        raise ValueError(f"the header {name} holds the end of a line")
    return b"%s: %s\r\n" % (name.encode(), value)
