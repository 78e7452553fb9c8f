"""``python -m bench.clients KIND CONNECTIONS ORIGIN TOKEN``: clients that wrk cannot be.

Each connection begins again when it ends. With more than 15,000 new connections a second, the
clients' own system would take all of their core.
"""

import asyncio
import random
import socket
import struct
import sys
import time
from asyncio import StreamReader, StreamWriter
from collections.abc import Awaitable, Callable
from contextlib import suppress
from urllib.parse import urlsplit

_RESET_SECONDS = 0.003  # between two resets of a connection
_MAX_AFTER = 900  # of 1,000 events
_PART = 1024
_LINE = 15_800  # bytes of framing; 16 KiB are too many
_CHUNKED = (
    "POST /{path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\nContent-Type: {type}\r\n"
    "Transfer-Encoding: chunked\r\n\r\n"
)
_STREAM = (
    "GET /events?after={after} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n"
    "Accept: text/event-stream\r\n\r\n"
)

Client = Callable[[StreamReader, StreamWriter, str], Awaitable[None]]


async def reset(_reader: StreamReader, writer: StreamWriter, _token: str) -> None:
    """Reset the connection at once."""
    _abort(writer)
    await asyncio.sleep(_RESET_SECONDS)


async def begin_stream(reader: StreamReader, writer: StreamWriter, token: str) -> None:
    """Listen to events, and reset the connection when the first ones arrive."""
    writer.write(_STREAM.format(after=random.randrange(_MAX_AFTER), token=token).encode())  # noqa: S311 - no secret
    received = 0
    while received < _PART and (part := await reader.read(_PART)):
        received += len(part)
    _abort(writer)


async def upload(reader: StreamReader, writer: StreamWriter, token: str) -> None:
    """Send changes without end."""
    head = _CHUNKED.format(path="changes", token=token, type="application/x-ndjson")
    writer.write(head.encode())
    reading = asyncio.ensure_future(_read_all(reader))
    while not reading.done():
        number = time.time_ns()
        line = b'{"op":"upsert","id":%d,"name":"Monstera deliciosa"}\n' % number
        writer.write(b"%x\r\n%s\r\n" % (len(line), line))
        await writer.drain()


async def send_spaces(reader: StreamReader, writer: StreamWriter, token: str) -> None:
    """Send a long line of framing, and then single bytes of it."""
    head = _CHUNKED.format(path="plants", token=token, type="application/json")
    writer.write(head.encode() + b"5" + _LINE * b" ")
    reading = asyncio.ensure_future(_read_all(reader))
    while not reading.done():
        writer.write(b" ")
        await writer.drain()
        await asyncio.sleep(0)


CLIENTS: dict[str, Client] = {
    "resets": reset,
    "spaces": send_spaces,
    "streams": begin_stream,
    "uploads": upload,
}


async def _read_all(reader: StreamReader) -> None:
    with suppress(ConnectionError):
        while await reader.read(2**16):
            pass


def _abort(writer: StreamWriter) -> None:
    connection = writer.get_extra_info("socket")
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()


async def _repeat(client: Client, origin: str, token: str) -> None:
    url = urlsplit(origin)
    while True:
        with suppress(ConnectionError):
            reader, writer = await asyncio.open_connection(url.hostname, url.port)
            connection = writer.get_extra_info("socket")
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            await client(reader, writer, token)
            writer.close()


async def _run(kind: str, connections: str, origin: str, token: str) -> None:
    async with asyncio.TaskGroup() as group:
        for _ in range(int(connections)):
            group.create_task(_repeat(CLIENTS[kind], origin, token))


if __name__ == "__main__":
    asyncio.run(_run(*sys.argv[1:]))
