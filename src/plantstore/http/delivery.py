"""Sends answers: whole ones at once, streams part by part while the client takes them."""

import asyncio
import logging
import tempfile
from collections.abc import AsyncIterator
from typing import IO, Any

from plantstore.errors import DatabaseUnavailableError
from plantstore.http.answers import Answer, Headers, Stream
from plantstore.http.request import Request
from plantstore.http.whole import write_whole
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
    """Send the answer with these extra headers; the protocol ends a client that takes nothing."""
    if isinstance(answer, Answer) and write_whole(send, answer, extra):
        return
    headers = [*answer.headers, *extra]
    start = {"type": "http.response.start", "status": answer.status, "headers": headers}
    try:
        if isinstance(answer, Stream):
            await _send_stream(answer, start, request, send, settings.stream_timeout)
        else:
            await send(start)
            await send({"type": "http.response.body", "body": answer.body})
    except asyncio.CancelledError:
        logger.warning("an answer was broken off: the service stops")


async def _send_stream(
    stream: Stream,
    start: dict[str, object],
    request: Request,
    send: Any,  # noqa: ANN401 - ASGI's own type
    seconds: float,
) -> None:
    gone = asyncio.create_task(request.wait_until_gone())
    try:
        async with asyncio.timeout(seconds):
            await send(start)
            async for part in stream.parts:
                await send({"type": "http.response.body", "body": part, "more_body": True})
                if gone.done():
                    return
        await send({"type": "http.response.body", "body": b""})
    # Without its end the client cannot take it for the whole list.
    except TimeoutError:
        logger.warning("a list was given up: its client takes it too slowly")
    except DatabaseUnavailableError:
        logger.warning("a list was broken off: the database failed")
    finally:
        gone.cancel()
        await stream.close()


async def spool(stream: Stream) -> Stream:
    """The stream with its length, by way of a file: HTTP/1.0 knows no chunks."""
    try:
        file = await _write_to_file(stream.parts)
    finally:
        await stream.close()

    async def read_again() -> AsyncIterator[bytes]:
        while part := file.read(_SPOOLED_PART):
            yield part

    async def close() -> None:
        file.close()

    length = (b"content-length", b"%d" % file.tell())
    file.seek(0)
    return Stream([*stream.headers, length], read_again(), close)


async def _write_to_file(parts: AsyncIterator[bytes]) -> IO[bytes]:
    file = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the stream
    try:
        async for part in parts:
            file.write(part)
    except BaseException:
        file.close()
        raise
    return file
