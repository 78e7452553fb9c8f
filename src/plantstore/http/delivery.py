"""Sends answers: whole ones at once, streams part by part while the client takes them."""

import asyncio
import logging
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from plantstore.http.answers import Answer, Headers, Stream
from plantstore.http.request import Request
from plantstore.settings import Settings

logger = logging.getLogger(__name__)

_SPOOLED_PART = 64 * 1024


async def deliver(
    answer: Answer | Stream,
    extra: Headers,
    request: Request,
    send: Any,  # noqa: ANN401 - ASGI's own type
    settings: Settings,
) -> None:
    """Send the answer with these extra headers."""
    headers = [*answer.headers, *extra]
    if isinstance(answer, Answer):
        await send({"type": "http.response.start", "status": answer.status, "headers": headers})
        await send({"type": "http.response.body", "body": answer.body})
        return
    try:
        async with asyncio.timeout(settings.stream_timeout):
            await _deliver_stream(answer, headers, request, send, settings.body_timeout)
    except TimeoutError:
        # Without its end the client cannot take it for the whole list: the connection is closed.
        logger.warning("a list was given up: its client takes it too slowly")
    finally:
        await answer.close()


async def _deliver_stream(
    stream: Stream,
    headers: Headers,
    request: Request,
    send: Any,  # noqa: ANN401 - ASGI's own type
    patience: float,
) -> None:
    parts = stream.parts
    if request.http_version == "1.0":
        length, parts = await _spool(parts)
        headers.append((b"content-length", b"%d" % length))
    await send({"type": "http.response.start", "status": stream.status, "headers": headers})
    async with _watch(request) as gone:
        async for part in parts:
            message = {"type": "http.response.body", "body": part, "more_body": True}
            await asyncio.wait_for(send(message), patience)
            if gone.done():
                return
    await send({"type": "http.response.body", "body": b""})


@asynccontextmanager
async def _watch(request: Request) -> AsyncIterator[asyncio.Task[None]]:
    """A task that is done when the client has hung up."""
    gone = asyncio.create_task(request.wait_until_gone())
    try:
        yield gone
    finally:
        gone.cancel()


async def _spool(parts: AsyncIterator[bytes]) -> tuple[int, AsyncIterator[bytes]]:
    """The length of the parts and they again: HTTP/1.0 knows no chunks and needs a length."""
    file = tempfile.TemporaryFile()  # noqa: SIM115 - read_again closes it
    async for part in parts:
        file.write(part)

    async def read_again() -> AsyncIterator[bytes]:
        with file:
            file.seek(0)
            while part := file.read(_SPOOLED_PART):
                yield part

    return file.tell(), read_again()
