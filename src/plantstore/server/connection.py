"""One connection: reads requests, handles them one after another, and sends the responses.

Invariant: whatever arrives gets a response from the application, or ends the connection, within the
deadlines and in order of arrival. While a request is in flight, the bytes after it are not parsed,
and are buffered only up to the limits.
"""

import asyncio
import logging
import math
import time
from collections.abc import Callable, Generator, Hashable
from contextlib import suppress
from enum import Enum, auto
from functools import partial
from socket import SO_ERROR, SOL_SOCKET, socket
from typing import Any

from plantstore.core.completion import Completion
from plantstore.core.errors import OverloadedError, RequestError
from plantstore.core.fair_queue import BYTES_READ, CONNECTED, LINES_PARSED, Key
from plantstore.core.pools import UNREAD_BYTES, network_of
from plantstore.server.body import MAX_WHOLE, Body, ChunkedBody, ClientGoneError
from plantstore.server.connections import Connections, begin
from plantstore.server.heads import CLOSE, MAX_KNOWN_HEAD, Head, HeadParser
from plantstore.server.messages import Request, Response, Stream
from plantstore.server.sender import MAX_COPIED, Sender
from plantstore.server.sockets import count_unacknowledged, count_unread, reset
from plantstore.server.tracing import REQUEST_ID, TracingLines, read_id

logger = logging.getLogger(__name__)

_MAX_BUFFER = 64 * 1024  # bytes of a body that nobody has read yet
_MAX_WAITING = 8 * 1024  # bytes that wait to be parsed; also the most that are parsed at a time
_RECEIVED_AT_COST = 16 * 1024  # bytes of a body that cost 1 more to receive
_IN_A_ROW = range(16)  # requests of a connection before other connections get a turn
_LINGER_SECONDS = 1.0
_MAX_WAITS = 4  # of a cancelled request, such as for a thread
_PAID_SECONDS = 0.00006  # of a step of a request: a longer one costs its time
_END = b"\r\n\r\n"
_GET = ord("G")  # its first byte


class Phase(Enum):
    """What a connection waits for."""

    HANDSHAKE = auto()  # the rest of TLS's handshake
    REQUEST = auto()  # the first byte of a request
    HEAD = auto()  # the rest of a head
    RESPONSE = auto()  # the application, or the client reading its response
    BODY = auto()  # the rest of a body that nobody reads
    END = auto()  # the client, to close the connection


# Looking up a member of an enumeration takes 0.2 µs on Python 3.11.
HANDSHAKE, REQUEST, HEAD, RESPONSE, BODY, END = Phase
_READING = (REQUEST, HEAD)


def connect(connections: Connections, client: socket, address: str) -> bool:
    """Serve an accepted client; returns whether it is still there."""
    make_protocol = partial(Connection, connections, address)
    loop = asyncio.get_running_loop()
    try:
        client.getpeername()  # it fails at once if the client has gone
        begin(loop.connect_accepted_socket(make_protocol, client), lambda _: None)
    except OSError:
        client.close()
        return False
    return True


class Connection(asyncio.Protocol):
    """One of the ``connections``. It waits from ``since`` on for at most ``timeout`` seconds.

    Keep it below 30 attributes: with more, Python 3.11 reads them more slowly, a create by 4 %.
    """

    _transport: asyncio.Transport
    sender: Sender

    def __init__(self, connections: Connections, address: str) -> None:
        self.address = address
        self.network = network_of(address)
        self.owner: Hashable = self.network  # until a request's token is known
        self.since, self.timeout = connections.now, math.inf
        self._connections = connections
        self._get_cached: Callable[[bytes], Response | None] = lambda _data: None
        self._idle_timeout = connections.settings.idle_timeout
        self._phase = HANDSHAKE  # until it is open
        self._buffer, self._position = b"", 0  # what has arrived, and how much of it is parsed
        self._counted = 0  # bytes that wait, for a parser, a reader or the rest of a request
        self._tracing = TracingLines()
        self._parser: HeadParser | None = None  # of an incomplete head
        self._request: Request | None = None
        self._body: Body | None = None  # of the request, while it is incomplete
        self._handling: Generator[Any, None, None] | None = None
        self._awaited: asyncio.Future[Any] | None = None
        self._task: asyncio.Task[None] | None = None  # of a stream
        self._stop_stream: Callable[[], None] | None = None
        self._connection_line = b""
        self._asks_to_continue = False
        self._takes_chunks = True
        self._is_reading = self._is_queued = False  # queued: it waits for a turn to go on
        self._is_limited = False  # bytes are counted, or nothing more is received
        self._is_ended = False  # the client has sent everything

    # The transport's events

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # a server's transports are
        """Count the connection, and open it if there is room."""
        self._send_on(transport)
        self._connections.begin(self, transport)

    def data_received(self, data: bytes) -> None:
        """Serve the requests in the data, if none is in flight."""
        if self._phase is REQUEST and not self._buffer and data[0] == _GET:
            response, own_id = self._get_cached(data), b""
            if response is None and data.find(_END) + len(_END) == len(data) <= MAX_KNOWN_HEAD:
                known, own_id, _ = self._tracing.leave_out(data)
                response = None if known is data else self._get_cached(known)
            if response is not None:
                self._repeat(response, own_id)
                return
        elif self._phase is END:
            return
        self._buffer = self._buffer[self._position :] + data if self._buffer else data
        self._position = 0
        self._read()

    def eof_received(self) -> bool:
        """Keep the connection for the pending responses; with TLS it ends in any case."""
        self._is_ended = True
        if not self._buffer:
            self._end_input()
        if self._stop_stream is not None:  # the client may be gone
            self._stop_stream()
        return self._connections.certificate is None

    def pause_writing(self) -> None:
        """The client reads more slowly than we write."""
        self.sender.pause()

    def resume_writing(self) -> None:
        """The client has read everything that was written."""
        is_sent = self.sender.resume()
        is_last = self._handling is None and self._task is None
        if is_sent and is_last and self._phase is RESPONSE:
            self._finish()

    def connection_lost(self, _error: Exception | None) -> None:
        """Release everything; a write to the database continues."""
        self._connections.release(self)
        self.sender.close()
        self._connections.pools.unread_bytes.remove(self)
        if self._body is not None:
            self._body.fail(ClientGoneError())
        if self._parser is not None:
            self._parser.close()
        if self._task is not None:
            # After its first step, the stream is closed.
            asyncio.get_running_loop().call_soon(self._task.cancel)
        self._phase, self._buffer, self._position = END, b"", 0
        self._parser = self._request = self._body = None

    def open(self, transport: asyncio.Transport | None) -> None:
        """Serve on this transport; None if the TLS handshake failed."""
        self._connections.pools.handshakes.remove(self)
        # If the client left during the handshake, there may be no notice that it is closed.
        if transport is None or transport.is_closing() or self._phase is END:
            self._transport.abort()
            self._connections.release(self)
            return
        if transport is not self._transport:
            self._send_on(transport)
        self._wait(REQUEST, self._connections.settings.head_timeout)
        self._read()

    def _send_on(self, transport: asyncio.Transport) -> None:
        self._transport = transport
        self.sender = Sender(transport, self._connections, self.network)

    def refuse(self) -> None:
        asyncio.get_running_loop().call_later(_LINGER_SECONDS, self._transport.abort)
        self._refuse(RequestError(50301))

    # Requests

    def _read(self, *, has_turn: bool = False) -> None:
        """Read what has arrived, as far as there are turns, and handle the requests."""
        self._is_reading, turns = True, self._connections.turns
        for _ in _IN_A_ROW if self._buffer else ():
            if not self._reads_on():
                break
            head = None
            if self._body is None and self._parser is None:
                known = self._connections.known_lines
                head = known.find(self._buffer, self._tracing, self.address, self._position)
            if head is None and not (has_turn or turns.try_take(*self._turn)):
                break
            if self._body is not None:
                self._feed(self._body)
            else:
                self._read_request(head)
            has_turn = False
            if self._position == len(self._buffer):
                self._buffer, self._position = b"", 0
                break
            if turns.waiting and turns.are_networks_waiting:
                break
        self._is_reading = False
        if self._buffer or self._is_ended or self._body or self._parser or self._is_limited:
            self._wait_for_more()

    def _wait_for_more(self) -> None:
        """Wait for a turn to read on, or for the rest of a request."""
        if self._is_ended and not self._buffer:
            self._end_input()
        elif self._buffer and self._reads_on() and not self._is_queued:
            self._is_queued = True
            self._connections.turns.put(*self._turn, self._resume)
        self._limit()

    def _reads_on(self) -> bool:
        """Whether a request, or more of its body, is read next."""
        is_expected = self._phase in _READING or self._body is not None
        return is_expected and not self._transport.is_closing()

    @property
    def _turn(self) -> tuple[Key, int]:
        """Who pays for the next bytes, and how much."""
        data = memoryview(self._buffer)[self._position :]
        if self._body is not None:
            return self.turns_of, 1 + len(data) // _RECEIVED_AT_COST
        data = data[:_MAX_WAITING]
        parsed = b"" if self._parser is None else self._parser.data
        find_user = self._connections.application.find_user
        payer = find_user(data) or find_user(parsed) or self.network
        return payer, CONNECTED + len(data) // BYTES_READ

    def _resume(self) -> bool:
        """Read on, if the connection is still open: it has a turn."""
        self._is_queued = False
        self._read(has_turn=True)
        return self._phase is not END

    def _limit(self) -> None:
        """Count the bytes that wait, and receive more only while these are few."""
        waiting = len(self._buffer) - self._position
        buffered = 0 if self._body is None else self._body.buffered
        count = buffered + (waiting if waiting > _MAX_WAITING else 0)
        count += 0 if self._parser is None else len(self._parser.data)
        if self._body is not None and self._phase is RESPONSE:
            count = max(count, UNREAD_BYTES)
        if count != self._counted:  # else it keeps its place among the oldest
            self._counted, unread = count, self._connections.pools.unread_bytes
            unread.remove(self)
            if count:
                unread.put(self, self.holder, self._evict, count)
        # A segment costs as much as a short request: the next one must not arrive before its turn.
        # Even if a reader waits: one round may bring megabytes.
        is_early = waiting > (_MAX_WAITING if self._reads_on() and not self._is_queued else 0)
        is_paused = is_early or buffered > _MAX_BUFFER
        self._is_limited = is_paused or count > 0
        if is_paused:
            self._transport.pause_reading()
        else:
            self._transport.resume_reading()

    def _end_input(self) -> None:
        """Refuse an incomplete request: nothing more will arrive."""
        if self._phase is RESPONSE:
            if self._body is not None:
                self._connection_line = CLOSE
                self._body.fail(RequestError(40011, reason="its body is incomplete"))
        elif self._phase is HEAD and self._parser is not None and self._parser.has_begun:
            self._refuse(RequestError(40011, reason="its head is incomplete"))
        else:
            self._transport.close()

    def _read_request(self, head: Head | None) -> None:
        """Read the next request, once its head is complete, and handle it."""
        connections, head = self._connections, head or self._parse()
        if head is None:
            return
        request, fields, self._position = head
        if not request.id:
            request.id = next(connections.request_ids.ids)
        self._connection_line = CLOSE if connections.is_stopping else fields.connection
        self._takes_chunks, end = fields.takes_chunks, self._position + fields.length
        if fields.is_chunked or fields.length > MAX_WHOLE or end > len(self._buffer):
            wanted = self._want_body
            body = ChunkedBody(wanted) if fields.is_chunked else Body(fields.length, wanted)
            self._request, request.body, self._body = request, body, body
            self._asks_to_continue = fields.expects_continue
            self._feed(body)
        else:
            request.body, self._position = self._buffer[self._position : end], end
        self._begin(request)

    def _evict(self) -> None:
        """Refuse the request or close the connection, to make room for other clients."""
        self._connection_line = CLOSE
        if self._body is not None:
            self._body.fail(OverloadedError())
        else:
            self.drop()

    def _parse(self) -> Head | None:
        """The next head, once it is complete."""
        if self._parser is None:
            self._parser = HeadParser()
            self._wait(HEAD, self._connections.settings.head_timeout)
        data = self._buffer[self._position : self._position + _MAX_WAITING]
        self._position += len(data)
        try:
            head = self._parser.feed(data, self.address)
        except RequestError as error:
            self._refuse(error)
            return None
        if head is None:
            return None
        self._connections.known_lines.put(self._parser.data, head)
        request, fields, end = head
        end += self._position - len(self._parser.data)
        self._parser = None
        return request, fields, end

    def _refuse(self, error: RequestError) -> None:
        """Send the application's response to the error, and end the connection."""
        of = self._parser or self._request
        method, headers = ("GET", {}) if of is None else (of.method, of.headers)
        own_id = of.id if isinstance(of, Request) else read_id(headers.get(REQUEST_ID, b""))
        request_id = own_id or next(self._connections.request_ids.ids)
        self._connection_line = CLOSE
        self._begin(Request(request_id, method, headers, address=self.address, error=error))

    def _is_there(self) -> bool:
        """Whether the client is there; if nothing is received, nothing else tells."""
        if self._is_ended or self._is_limited:
            with suppress(OSError, ValueError, AttributeError):  # closed, or None with TLS
                if self._transport.get_extra_info("socket").getsockopt(SOL_SOCKET, SO_ERROR):
                    self._transport.abort()
                    return False
        return self._phase is not END

    def _begin(self, request: Request) -> None:
        self._request, request.is_there = request, self._is_there
        self._phase, self.since = RESPONSE, self._connections.now
        self.timeout = self._connections.check_interval
        # Unlike a coroutine, its iterator ends without an exception.
        self._handling, self._awaited = self._handle(request).__await__(), None
        self._step()
        if request.holder != self.owner and request.holder is not None:
            self._connections.count_for(self, request.holder)
            self._get_cached = self._connections.application.get_cached

    def _step(self, awaited: "asyncio.Future[Any] | None" = None) -> None:
        """Continue handling the request, up to its response or its next wait."""
        if self._handling is None or awaited is not self._awaited:
            return  # the request was abandoned
        request, began = self._request, time.perf_counter()
        result: Any = next(self._handling, self)
        seconds = time.perf_counter() - began
        if seconds > _PAID_SECONDS and request is not None:
            find_client = self._connections.application.client_address
            payer = request.turns_of or network_of(find_client(request))
            self._connections.turns.charge_time(payer, seconds - _PAID_SECONDS)
        if result is self:
            return  # it has ended, and maybe the next one has begun
        self._awaited = result
        if isinstance(result, Completion):
            result.then = self._step
        elif result is None:
            asyncio.get_running_loop().call_soon(self._step)
        else:
            result.add_done_callback(self._step)

    # Bodies

    def _feed(self, body: Body) -> None:
        """Pass what has arrived to the body."""
        self._buffer, self._position = body.feed(self._buffer[self._position :]), 0
        self._connections.turns.charge(self.turns_of, body.lines // LINES_PARSED)
        if body.has_failed:
            self._connection_line = CLOSE
            if self._phase is BODY:
                self._end()
        elif body.is_complete:
            self._body, self._asks_to_continue = None, False
            if self._phase is BODY:
                self._finish()

    def _want_body(self) -> None:
        """Receive the rest of the body, or the next part, because a reader is waiting."""
        self._limit()
        if self._asks_to_continue and not self._transport.is_closing():
            self._asks_to_continue = False
            self._transport.write(b"HTTP/1.1 100 Continue\r\n\r\n")

    # Responses

    def _repeat(self, response: Response, own_id: bytes) -> None:
        """Send the cached response to a complete GET that needs no Connection line."""
        connections = self._connections
        self._connection_line = b""
        self.since, self.timeout = connections.now, self._idle_timeout
        if own_id:
            head = b"%s%s%s\r\n\r\n" % (response.head, connections.end_of_heads, own_id)
        else:
            end = connections.end_of_repeated
            head = b"%s%s%x\r\n\r\n" % (response.head, end, next(connections.request_ids.numbers))
        if not self.sender.send(head, response.body, is_shared=True):
            self._wait(RESPONSE, self._connections.check_interval)

    async def _handle(self, request: Request) -> None:
        """Handle the request, and send its response."""
        try:
            response = await self._connections.application.handle(request)
        except ClientGoneError:
            return
        finally:
            self._handling = None
        if self._request is None:  # the connection was lost
            if isinstance(response, Stream):
                self._task = asyncio.get_running_loop().create_task(response.end(0, is_whole=False))
            return
        if self._asks_to_continue:
            self._connection_line = CLOSE  # the client may or may not send the body
        line, common = self._connection_line, self._connections.end_of_heads
        # This test is fast for an instance of the class; a test for the other class would be slow.
        if not isinstance(response, Response):
            line = b"Transfer-Encoding: chunked\r\n" + line if self._takes_chunks else CLOSE
        head = b"".join((response.head, common, request.id, b"\r\n", line, b"\r\n"))
        if not isinstance(response, Response):
            self.sender.holder = self.holder
            self._task = asyncio.get_running_loop().create_task(self._send_stream(head, response))
            return
        body = b"" if request.method == "HEAD" else response.body
        if len(response.body) > MAX_COPIED:
            holder = self.sender.holder = self.holder
            # Shared bodies take no extra memory, however many clients wait. A write is done.
            may_refuse = request.method == "GET" and not response.is_shared
            if may_refuse and not self._connections.pools.unsent_bytes.has_room(holder):
                self._refuse(RequestError(50301))
                return
        if self.sender.send(head, body, is_shared=response.is_shared):
            self._finish()

    async def _send_stream(self, head: bytes, stream: Stream) -> None:
        if not self._takes_chunks:
            self._connection_line = CLOSE  # the close marks the end for an HTTP/1.0 client
        self._stop_stream = stream.stop
        is_last = self._connections.is_draining or (self._is_ended and self._body is None)
        if stream.stop is not None and is_last:
            stream.stop()
        is_whole = False
        try:
            is_whole = await self.sender.send_stream(head, stream, chunked=self._takes_chunks)
        except Exception:
            logger.exception("a stream was aborted")
        self._task = self._stop_stream = None
        if is_whole and self._phase is not END:
            self._finish()
        else:
            self._transport.abort()

    def _finish(self) -> None:
        if self._connection_line is CLOSE or self._connections.is_draining:
            self._end()
            return
        self._phase, self.since, self.timeout = REQUEST, self._connections.now, self._idle_timeout
        if self._body is not None:
            self._body.discard()
            self._wait(BODY, self._connections.settings.body_timeout)
        if not self._is_reading and (self._buffer or self._is_ended or self._body):
            self._read()

    # Deadlines and ends

    def _end(self) -> None:
        """Send the end, and discard further input until the client also closes.

        If we closed first, the client's system would discard the response.
        """
        is_whole = self._body is None and (self._request is None or self._request.error is None)
        self._body, self._buffer, self._position = None, b"", 0
        self._wait(END, _LINGER_SECONDS)
        self._limit()
        if self._transport.can_write_eof() and not self._is_ended:
            self._transport.write_eof()
        elif is_whole or self._is_ended:
            self._transport.close()

    def _close(self) -> None:
        """Close the connection; a TLS client gets a moment to close it too."""
        if self._transport.is_closing() and not count_unacknowledged(self._transport):
            self._transport.abort()
        else:
            self._wait(END, _LINGER_SECONDS)
            self._transport.close()

    def _close_idle(self) -> None:
        """Close the connection, unless its next request has arrived."""
        if not (self._buffer or count_unread(self._transport)):
            self._end()

    def _wait(self, phase: Phase, timeout: float) -> None:
        self._phase = phase
        self.since, self.timeout = self._connections.now, timeout

    @property
    def holder(self) -> Hashable:
        """The holder of the request's units in pools."""
        return (self._request and self._request.holder) or self.owner

    @property
    def turns_of(self) -> Key:
        """Who pays for what arrives."""
        return (self._request and self._request.turns_of) or self.network

    @property
    def is_waiting(self) -> bool:
        """Whether it may be closed to make room: no store waits for it, or its client is stuck."""
        return self._phase is not RESPONSE or self.sender.is_stuck or type(self.holder) is tuple

    def expire(self) -> None:
        if self._phase is HEAD and self._parser is not None and self._parser.has_begun:
            self._refuse(RequestError(40802))
        elif self._phase is REQUEST:
            if count_unacknowledged(self._transport):
                reset(self._transport)
            else:
                self._close_idle()
        elif self._phase is not RESPONSE:
            self._close()
        else:
            self.since = now = self._connections.now
            body, timeout = self._body, self._connections.settings.body_timeout
            is_sending = self.sender.is_paused or self._stop_stream is not None
            if is_sending and self.sender.has_timed_out():
                logger.warning("a response was aborted: its client reads too slowly")
                reset(self._transport)
            elif body is not None and now - body.wanted_at >= timeout:
                self._connection_line = CLOSE
                body.fail(RequestError(40801))

    def drop(self) -> None:
        self._connections.release(self)  # the transport is closed later
        reset(self._transport)

    def announce_stop(self) -> None:
        """End the connection with its next response."""
        self._get_cached = self._connections.application.get_cached
        if self._handling is not None:
            self._connection_line = CLOSE
        self._end_stream()

    def _end_stream(self) -> None:
        """End an endless stream; its client reconnects for the rest."""
        if self._stop_stream is not None:
            self._stop_stream()
            if self.sender.is_paused:
                self._transport.abort()

    def shutdown(self) -> None:
        self._end_stream()
        if self._phase is not REQUEST:
            if self._phase is not RESPONSE:
                self._close()
        elif self._request is None:  # a new client sends its first request soon
            self._wait(REQUEST, _LINGER_SECONDS)
        else:
            self._close_idle()

    def abandon(self) -> None:
        """End the request in flight, and close the connection: the drain timeout has passed."""
        if self._handling is not None:
            self._connection_line = CLOSE
            with suppress(StopIteration):
                for _ in range(_MAX_WAITS):
                    self._handling.throw(asyncio.CancelledError())
            self._handling = None
        if self._task is not None:
            self._task.cancel()
        if self.sender.is_paused:
            logger.info("a response was aborted: the service is stopping")
            self._transport.abort()
        else:
            self._transport.close()
