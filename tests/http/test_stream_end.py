"""A stream is closed to its end, also if the connection is lost while it is being closed."""

import asyncio
import gc
import weakref
from collections.abc import AsyncIterator, Collection
from contextlib import ExitStack

from plantstore.core.pools import Pools
from plantstore.core.settings import Settings
from plantstore.server.connection import Connection
from plantstore.server.connections import Connections
from plantstore.server.messages import Request, Response, Stream
from plantstore.server.sockets import reset

SECONDS = 10


class OneStream:
    """An application whose only response is a stream that takes its time to close."""

    connections: Collection[object] = ()

    def __init__(self) -> None:
        self.closing, self.lost, self.closed = asyncio.Event(), asyncio.Event(), asyncio.Event()
        self.pools = Pools(Settings(database=""))

    def recall(self, data: bytes) -> Response | None:
        """See ``Application``."""

    async def handle(self, _request: Request) -> Stream:
        """See ``Application``."""
        return Stream(b"HTTP/1.1 200 OK\r\n", self._give_parts(), self._close_slowly)

    def reload(self) -> None:
        """See ``Application``."""

    def announce_stop(self) -> None:
        """Nobody asks."""

    async def wait_until_broken(self) -> Exception:
        """See ``Application``."""
        raise NotImplementedError

    async def close(self) -> None:
        """See ``Application``."""

    async def _give_parts(self) -> AsyncIterator[bytes]:
        yield b"[]"

    async def _close_slowly(self) -> None:
        self.closing.set()
        await self.lost.wait()
        self.closed.set()


async def lose_connection_while_closing() -> "weakref.ref[Connection]":
    application, loop = OneStream(), asyncio.get_running_loop()
    connections = Connections(application, Settings(database=""))
    server = await loop.create_server(lambda: Connection(connections), "127.0.0.1")
    async with server, asyncio.timeout(SECONDS):
        address = server.sockets[0].getsockname()
        transport, _ = await loop.create_connection(asyncio.Protocol, *address)
        transport.write(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        await application.closing.wait()
        (connection,) = map(weakref.ref, connections.opened)
        reset(transport)
        while connections.opened:  # noqa: ASYNC110 - no event tells
            await asyncio.sleep(0)
        await asyncio.sleep(0)  # the stream's task is cancelled
        application.lost.set()
        await application.closed.wait()
    connections.close()
    return connection


def test_a_stream_is_closed_though_its_connection_is_lost_meanwhile() -> None:
    asyncio.run(lose_connection_while_closing())


def test_a_lost_connection_is_not_left_to_the_collection_of_garbage() -> None:
    with ExitStack() as stack:
        stack.callback(gc.enable)
        gc.disable()
        connection = asyncio.run(lose_connection_while_closing())
        assert connection() is None
