"""``python -m bench.clients KIND CONNECTIONS ORIGIN TOKEN``: clients that wrk cannot be.

Each connection begins again when it ends. With more than 15,000 new connections a second, the
clients' own system would take all of their core.
"""

import asyncio
import json
import random
import socket
import struct
import sys
import time
from asyncio import StreamReader, StreamWriter
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from urllib.parse import urlsplit

_RESET_SECONDS = 0.003  # between two resets of a connection
_MAX_AFTER = 900  # of 1,000 events
_PART = 1024
_LONG_BODY = 4096
_TRICKLE_SECONDS = 1.0  # between two bytes of an unfinished body
_LINE = 15_800  # bytes of framing; 16 KiB are too many
_HEAD = "{line} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n"
_CHUNKED = _HEAD + "Content-Type: {type}\r\nTransfer-Encoding: chunked\r\n\r\n"
_WHOLE = _HEAD + "Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n"
_STREAM = _HEAD + "Accept: text/event-stream\r\n\r\n"

Client = Callable[[StreamReader, StreamWriter, str], Awaitable[None]]


async def reset(_reader: StreamReader, writer: StreamWriter, _token: str) -> None:
    """Reset the connection at once."""
    _abort(writer)
    await asyncio.sleep(_RESET_SECONDS)


async def begin_stream(reader: StreamReader, writer: StreamWriter, token: str) -> None:
    """Listen to events, and reset the connection when the first ones arrive."""
    line = f"GET /events?after={random.randrange(_MAX_AFTER)}"  # noqa: S311 - no secret
    writer.write(_STREAM.format(line=line, token=token).encode())
    received = 0
    while received < _PART and (part := await reader.read(_PART)):
        received += len(part)
    _abort(writer)


async def upload(reader: StreamReader, writer: StreamWriter, token: str) -> None:
    """Send changes without end."""
    head = _CHUNKED.format(line="POST /changes", token=token, type="application/x-ndjson")
    writer.write(head.encode())
    reading = asyncio.ensure_future(_read_all(reader))
    while not reading.done():
        number = time.time_ns()
        line = b'{"op":"upsert","id":%d,"name":"Monstera deliciosa"}\n' % number
        writer.write(b"%x\r\n%s\r\n" % (len(line), line))
        await writer.drain()


async def send_spaces(reader: StreamReader, writer: StreamWriter, token: str) -> None:
    """Send a long line of framing, and then single bytes of it."""
    head = _CHUNKED.format(line="POST /plants", token=token, type="application/json")
    writer.write(head.encode() + b"5" + _LINE * b" ")
    reading = asyncio.ensure_future(_read_all(reader))
    while not reading.done():
        writer.write(b" ")
        await writer.drain()
        await asyncio.sleep(0)


async def send_half(_reader: StreamReader, writer: StreamWriter, token: str) -> None:
    """Send a create's body without end."""
    head = _WHOLE.format(line="POST /plants", token=token, length=_LONG_BODY)
    await _trickle(writer, head.encode() + b'{"id":')


async def send_half_code(_reader: StreamReader, writer: StreamWriter, _token: str) -> None:
    """Send a link's code without end, and without a token."""
    head = _WHOLE.format(line="POST /links/redeem", token="none", length=_LONG_BODY)  # noqa: S106 - no secret
    await _trickle(writer, head.encode() + b'{"code":')


async def read_slowly(reader: StreamReader, writer: StreamWriter, token: str) -> None:
    """Read the largest page of events and a long list, and after 128 KB only 2 KB per second."""
    connection = writer.get_extra_info("socket")
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 * _PART)
    for path in random.sample(("events?after=0&limit=1000", "plants"), k=2):
        head = _WHOLE.format(line=f"GET /{path}", token=token, length=0)
        writer.write(head.encode())
    while await reader.read(2 * _PART):  # noqa: ASYNC110 - to read slowly
        await asyncio.sleep(1)


async def administer(reader: StreamReader, writer: StreamWriter, token: str) -> None:
    """Create and revoke links, one after another."""
    number = time.time_ns() % 16
    send = partial(_send, reader, writer, token)
    await send(f"PUT /members/user-{number}", b'{"role":"reader"}')
    while not writer.is_closing():
        if link := await send("POST /links", b'{"user":"user-%d"}' % number):
            await send(f"DELETE /links/{json.loads(link)['id']}")


CLIENTS: dict[str, Client] = {
    "administration": administer,
    "half-codes": send_half_code,
    "half-creates": send_half,
    "resets": reset,
    "slow-readers": read_slowly,
    "spaces": send_spaces,
    "streams": begin_stream,
    "uploads": upload,
}


async def _trickle(writer: StreamWriter, data: bytes) -> None:
    while not writer.is_closing():
        writer.write(data)
        await writer.drain()
        await asyncio.sleep(_TRICKLE_SECONDS)
        data = b" "


async def _send(
    reader: StreamReader, writer: StreamWriter, token: str, line: str, body: bytes = b""
) -> bytes:
    """The body of the response; empty if there is none, or the request was refused."""
    writer.write(_WHOLE.format(line=line, token=token, length=len(body)).encode() + body)
    lines = (await reader.readuntil(b"\r\n\r\n")).lower()
    _, _, length = lines.partition(b"\r\ncontent-length: ")
    content = await reader.readexactly(int(length.split(b"\r")[0] or 0))
    return content if lines[9:10] == b"2" else b""


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
