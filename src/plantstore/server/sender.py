"""Writes responses to one connection, as fast as the client reads them.

Invariant: a large body is never copied, and is passed to the transport piece by piece, as the
client reads.
"""

import asyncio
import logging
from collections.abc import Hashable
from contextlib import suppress

from plantstore.core.errors import PlantStoreError
from plantstore.core.failures import RepeatLimit
from plantstore.server.body import ClientGoneError
from plantstore.server.connections import Connections
from plantstore.server.messages import Stream
from plantstore.server.sockets import count_unacknowledged, reset

logger = logging.getLogger(__name__)
_limit = RepeatLimit()

MAX_COPIED = 16 * 1024  # bytes of a body that is written together with the head
_PIECE = 64 * 1024
_STUCK_SECONDS = 10.0
_LEAST_PROGRESS = 32 * 1024  # bytes that a client must read within the timeout


class Sender:
    """The sending side of one of the ``connections``; the ``holder`` holds the unsent bytes."""

    def __init__(
        self, transport: asyncio.Transport, connections: Connections, holder: Hashable
    ) -> None:
        transport.set_write_buffer_limits(high=1, low=0)  # paused while anything is buffered
        self.is_paused = False
        self._transport = transport
        self._connections = connections
        self._rest = memoryview(b"")
        self._is_shared = False
        self._pool = connections.pools.unsent_bytes
        self.holder = holder
        self._counted = 0
        self._counted_for: Hashable = None
        self._outstanding = 0  # unread bytes when the client last made progress,
        self._added = 0  # and bytes sent since then
        self._progress_at = 0.0
        self._resumed: asyncio.Future[None] | None = None

    @property
    def is_stuck(self) -> bool:
        return self.is_paused and self._connections.now - self._progress_at > _STUCK_SECONDS

    def send(self, head: bytes, body: bytes, *, is_shared: bool = False) -> bool:
        """Send a response; returns whether all of it was sent at once."""
        self._is_shared = is_shared
        if len(body) <= MAX_COPIED:
            self._transport.write(head + body)
        else:
            self._rest = memoryview(body)[_PIECE:]
            self._transport.writelines((head, memoryview(body)[:_PIECE]))
            self._send_rest()
        return not self.is_paused

    async def send_stream(self, head: bytes, stream: Stream, *, chunked: bool) -> bool:
        """Send a stream, within its timeout; returns whether that was possible.

        If not, the connection must be aborted: without an end marker, the client cannot take the
        part for the whole. The head is sent with the first part, because proxies in Go (Caddy) stop
        sending a request when its response begins.
        """
        self._is_shared, sent, is_whole = False, 0, False
        self._outstanding, self._added, self._progress_at = 0, 0, self._connections.now
        seconds = self._connections.settings.stream_timeout
        try:
            async with asyncio.timeout(None if stream.stop else seconds):
                async for part in stream.parts:
                    framed = b"%x\r\n%s\r\n" % (len(part), part) if chunked else part
                    await self._send_part(head + framed)
                    head = b""
                    sent += len(part)
                await self._send_part(head + b"0\r\n\r\n" if chunked else head)
            is_whole = True
        except TimeoutError:
            logger.warning("a stream was aborted: its client reads too slowly")
        except PlantStoreError:
            logger.warning("a stream was aborted: the database failed")
        except (ClientGoneError, asyncio.CancelledError):
            if _limit.admit("gone") is not None:  # listening clients come and go
                logger.info("a stream was aborted: its client has gone, or the service is stopping")
        finally:
            # Runs to its end even if a lost connection cancels this task. A task that ended as
            # cancelled would keep all of this until the next garbage collection.
            with suppress(asyncio.CancelledError):
                await asyncio.shield(stream.end(sent, is_whole=is_whole))
        return is_whole

    async def _send_part(self, data: bytes) -> None:
        may_wait = len(data) <= MAX_COPIED or self._pool.has_room(self.holder)
        if self._transport.is_closing() or not may_wait:
            raise ClientGoneError
        self._added += len(data)
        self._transport.write(data)
        if self.is_paused:
            self._resumed = asyncio.get_running_loop().create_future()
            await self._resumed

    def pause(self) -> None:
        """Stop writing: the client has not read everything."""
        self.is_paused = True
        self._outstanding, self._added = len(self._rest) + self._count_outstanding(), 0
        self._progress_at = self._connections.now
        unsent = len(self._rest) + self._transport.get_write_buffer_size()
        if self._is_shared or not unsent:  # none: TLS's first bytes, which are below it
            return
        if self._pool.has_room(self.holder):
            self._count_unsent(unsent)
        else:
            reset(self._transport)

    def resume(self) -> bool:
        """Continue writing, because the client has read all; returns whether nothing is left."""
        self.is_paused = False
        self._count_unsent(0)
        self._send_rest()
        if self._resumed is not None and not self._resumed.done():
            self._resumed.set_result(None)
        return not self.is_paused

    def has_timed_out(self) -> bool:
        """Whether the client reads too slowly, or not at all."""
        outstanding = len(self._rest) + self._count_outstanding()
        read = self._outstanding + self._added - outstanding
        if read >= min(_LEAST_PROGRESS, self._outstanding):
            self._progress_at = self._connections.now
            self._outstanding, self._added = outstanding, 0
        return self._connections.now - self._progress_at >= self._connections.settings.body_timeout

    def close(self) -> None:
        self.is_paused = False
        self._rest = memoryview(b"")
        self._count_unsent(0)

    def _send_rest(self) -> None:
        while self._rest and not self.is_paused:
            piece, self._rest = self._rest[:_PIECE], self._rest[_PIECE:]
            self._transport.write(piece)

    def _count_outstanding(self) -> int:
        """Bytes that the client's system has not acknowledged, in any buffer."""
        return self._transport.get_write_buffer_size() + count_unacknowledged(self._transport)

    def _count_unsent(self, count: int) -> None:
        if self._counted:
            self._pool.release(self._counted_for, self._counted)
        self._counted, self._counted_for = count, self.holder
        if count:
            self._pool.add(self.holder, count)
