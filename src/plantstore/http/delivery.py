"""Sends answers: whole ones at once, streams part by part while the client takes them."""

import asyncio
import logging
from typing import Any

from plantstore.http.answers import Answer, Headers, Stream
from plantstore.http.request import Request
from plantstore.settings import Settings

logger = logging.getLogger(__name__)


async def deliver(
    answer: Answer | Stream,
    extra: Headers,
    request: Request,
    send: Any,  # noqa: ANN401 - ASGI's own type
    settings: Settings,
) -> None:
    """Send the answer with these extra headers."""
    headers = [*answer.headers, *extra]
    await send({"type": "http.response.start", "status": answer.status, "headers": headers})
    if isinstance(answer, Answer):
        await send({"type": "http.response.body", "body": answer.body})
        return
    gone = asyncio.create_task(request.wait_until_gone())
    try:
        async with asyncio.timeout(settings.stream_timeout):
            async for part in answer.parts:
                message = {"type": "http.response.body", "body": part, "more_body": True}
                await asyncio.wait_for(send(message), settings.body_timeout)
                if gone.done():
                    return
        await send({"type": "http.response.body", "body": b""})
    except TimeoutError:
        # Without its end the client cannot take it for the whole list: the connection is closed.
        logger.warning("a list was given up: its client takes it too slowly")
    finally:
        gone.cancel()
        await answer.close()
