"""Sends streams: responses whose length nobody knows, part by part, as the client takes them."""

import asyncio
import logging

from plantstore.errors import PlantStoreError
from plantstore.server.body import ClientGoneError
from plantstore.server.messages import Stream
from plantstore.server.sender import Sender

logger = logging.getLogger(__name__)

_LAST_CHUNK = b"0\r\n\r\n"


async def send_stream(
    sender: Sender, head: bytes, stream: Stream, seconds: float, *, chunked: bool
) -> bool:
    """Send a stream within so many seconds; whether that was possible.

    Where it was not, the connection is to be aborted: without its end the client cannot take what
    came for the whole.
    """
    try:
        async with asyncio.timeout(seconds):
            await sender.write(head)
            async for part in stream.parts:
                await sender.write(b"%x\r\n%s\r\n" % (len(part), part) if chunked else part)
            if chunked:
                await sender.write(_LAST_CHUNK)
    except TimeoutError:
        logger.warning("a stream was given up: its client takes it too slowly")
    except PlantStoreError:
        logger.warning("a stream was broken off: the database failed")
    except (ClientGoneError, asyncio.CancelledError):
        logger.info("a stream was broken off: its client has gone, or the service stops")
    else:
        return True
    finally:
        await stream.close()
    return False
