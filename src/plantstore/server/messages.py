"""The messages between server and application: a request, and its response or stream."""

import asyncio
from collections.abc import AsyncIterator, Callable, Collection, Coroutine, Hashable, Mapping
from typing import Any, Protocol, Self

from msgspec import Struct, field
from msgspec.structs import replace

from plantstore.core.errors import RequestError
from plantstore.core.fair_queue import FairQueue, Key
from plantstore.core.pools import Pools
from plantstore.server.body import Body, ClientGoneError
from plantstore.server.tracing import read_line

HeaderLines = bytes  # as on the wire: b"ETag: x\r\nLink: y\r\n"


class Request(Struct):
    """One request, created when its head is complete; ``id`` is its X-Request-Id.

    ``path`` and ``query`` are as they were sent. Header names are in lower case; values of repeated
    headers are joined by commas; headers that only trace a request (``tracing.py``) may be omitted:
    then ``lines`` are all header lines, and ``read_tracing`` finds them. A ``body`` that arrived
    with its head is bytes. ``error`` is set if the server refuses the request; the application
    makes the response. ``raw`` is all bytes of a GET, without tracing lines, if
    ``Application.get_cached`` may respond to the same bytes next time. ``address`` is the peer's.
    ``is_there`` tells whether the client is: if it has gone, a read may end.

    The application sets the ``caller``; ``turns_of``, the user or network that takes its turns, and
    the ``holder`` of its units in pools; ``route``, the path's pattern; ``refusal``, the error; and
    for a write ``writes``, its store and scope.
    """

    id: bytes
    method: str
    headers: Mapping[bytes, bytes]
    path: bytes = b""
    query: bytes = b""
    address: str = ""
    body: bytes | Body = b""
    error: RequestError | None = None
    raw: bytes = b""
    lines: bytes = b""
    caller: Any = None
    turns_of: Any = None
    holder: Hashable = None
    route: str = ""
    refusal: Exception | None = None
    writes: Any = None
    is_there: Callable[[], bool] | None = None

    def require_client(self) -> None:
        """Raise ``ClientGoneError`` if the client has gone."""
        if self.is_there is not None and not self.is_there():
            raise ClientGoneError

    def read_tracing(self, name: bytes) -> bytes:
        """The value of a header that may be omitted; empty without the header."""
        return self.headers.get(name) or read_line(self.lines, name)


class Response(Struct, frozen=True):
    """A complete response: status line, header lines, and body.

    The server adds the headers that every response has, and omits the body for HEAD. ``is_shared``
    says that the body is in memory anyway: a slow reader costs no more memory. ``error`` is the
    error's number, or 0.
    """

    head: bytes
    body: bytes = b""
    is_shared: bool = False
    error: int = 0

    @property
    def status(self) -> int:
        return int(self.head[9:12])

    def with_headers(self, lines: HeaderLines) -> Self:
        return replace(self, head=self.head + lines)


class Stream(Struct, frozen=True):
    """A response whose body comes in parts, of unknown length; ``close`` is called at its end.

    The ``observers`` get the number of sent bytes of the body, and whether these are all. An
    endless stream has no timeout, but ``stop``, which ends it soon.
    """

    head: bytes
    parts: AsyncIterator[bytes]
    close: Callable[[], Coroutine[Any, Any, None]]
    status: int = 200
    error: int = 0
    observers: list[Callable[[int, bool], None]] = field(default_factory=list)
    stop: Callable[[], None] | None = None

    def with_headers(self, lines: HeaderLines) -> Self:
        return replace(self, head=self.head + lines)

    async def end(self, sent: int, *, is_whole: bool) -> None:
        """Notify the observers, and close the stream."""
        for observe in self.observers:
            observe(sent, is_whole)
        await self.close()


Handling = Coroutine["asyncio.Future[Any] | None", None, Response | Stream]


class Application(Protocol):
    """The application that the server serves; both share its collections and ``turns``."""

    connections: Collection[object]
    pools: Pools
    turns: FairQueue

    def get_cached(self, data: bytes) -> Response | None:
        """The response to these bytes, a known complete GET, if it is still valid.

        The bytes have no tracing lines.
        """

    def find_user(self, head: bytes | memoryview) -> Key | None:
        """Who pays to parse this head: the user of its token, if the token is known."""

    def client_address(self, request: Request) -> str:
        """The client's address, which a trusted proxy may have named."""

    def handle(self, request: Request) -> Handling:
        """The response to a request; it raises nothing but ``ClientGoneError``.

        It has no task of its own: code that needs one (a timeout, a task group) must start it.
        """

    def announce_stop(self) -> None:
        """Announce the stop, as by ``/readyz``; from now on, ``get_cached`` finds nothing."""

    def reload(self) -> None:
        """Reload what has changed outside of the service, at SIGHUP."""

    async def wait_until_broken(self) -> Exception:
        """Wait for an error after which the process must stop, and return it."""

    async def close(self) -> None:
        """Finish all work in progress, and release all resources."""
