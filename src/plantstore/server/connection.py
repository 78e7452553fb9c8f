"""One connection: requests are read from it, handled one after the other, and answered.

Invariant: whatever arrives is answered by the application, or ends the connection, within the
deadlines and in the order of its arrival. While a request is in flight, what follows it is not
looked at, and no more than the bounds is kept of it.
"""

import asyncio
import logging
import math
from enum import Enum, auto
from typing import Any

from plantstore.errors import RequestError
from plantstore.server.body import Body, ChunkedBody, ClientGoneError
from plantstore.server.connections import Connections
from plantstore.server.heads import Head, HeadParser
from plantstore.server.messages import Handling, Request, Response, Stream
from plantstore.server.sender import Sender
from plantstore.server.sockets import count_unacknowledged, find_address
from plantstore.server.streams import send_stream

logger = logging.getLogger(__name__)

_MAX_BUFFER = 64 * 1024  # bytes of what is not looked at yet
_MAX_IN_A_ROW = 16  # requests of one connection before others have their turn
_LINGER_SECONDS = 1.0
_CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"
_CLOSE = b"Connection: close\r\n"
_KEEP_ALIVE = b"Connection: keep-alive\r\n"  # which HTTP/1.0 must be told
_CHUNKED = b"Transfer-Encoding: chunked\r\n"


class _Phase(Enum):
    """What the connection waits for."""

    REQUEST = auto()  # a request, and nothing of it is there
    HEAD = auto()  # the rest of a head
    RESPONSE = auto()  # the application, or the client that takes its response
    BODY = auto()  # the rest of a body that nobody wants
    END = auto()  # the client, to close the connection


class Connection(asyncio.Protocol):
    """One of the ``connections``; they share bounds, deadlines and a clock."""

    address = ""
    timeout = math.inf
    _transport: asyncio.Transport
    _sender: Sender

    def __init__(self, connections: Connections) -> None:
        self._connections = connections
        self._settings = connections.settings
        self._recall = connections.application.recall
        self._first_idle = min(self._settings.idle_timeout, self._settings.body_timeout)
        self._loop = asyncio.get_running_loop()
        self.since = connections.now
        self._phase = _Phase.RESPONSE  # until it is made, and nothing can be written
        self._buffer = b""
        self._parser: HeadParser | None = None  # of a head that is not whole
        self._request: Request | None = None
        self._body: Body | None = None  # of the request, where it is not whole
        self._handling: Handling | None = None
        self._awaited: asyncio.Future[Any] | None = None
        self._stream: asyncio.Task[None] | None = None
        self._connection_line = b""
        self._asks_to_continue = False
        self._takes_chunks = True
        self._extension = 0.0  # seconds more to be idle, for a client that has read its response
        self._is_serving = False
        self._is_ended = False  # the client has sent all that it will
        self._is_stopping = False

    @property
    def is_waiting(self) -> bool:
        """Whether it may be closed to make room: nothing is in flight, or the client is stuck."""
        return self._phase is not _Phase.RESPONSE or self.is_stuck

    @property
    def is_stuck(self) -> bool:
        """Whether the client does not take its response."""
        return self._sender.is_stuck

    # The transport's events

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # a server's transports are
        """Wait for the first request; refuse the connection where there is no room for it."""
        self._transport = transport
        self._sender = Sender(transport, self._connections)
        self.address = find_address(transport)
        if not self._connections.admit(self):
            self._loop.call_later(_LINGER_SECONDS, transport.abort)
            self._refuse(RequestError(50301))
            return
        self._wait(_Phase.REQUEST, self._settings.head_timeout)
        self._serve()

    def data_received(self, data: bytes) -> None:
        """Serve what arrives, as far as it has its turn."""
        if self._phase is _Phase.REQUEST and not self._buffer:
            response = self._recall(data)
            if response is not None:
                self._repeat(response)
                return
        elif self._phase is _Phase.END:
            return
        if self._body is not None:
            data = self._feed(self._body, data)
        self._buffer += data
        self._serve()

    def eof_received(self) -> bool:
        """Let a request that is whole have its response."""
        self._is_ended = True
        if self._phase is _Phase.RESPONSE and self._body is None:
            return True
        self._transport.close()
        return False

    def pause_writing(self) -> None:
        """The client takes less than there is."""
        self._sender.pause()
        self._wait(self._phase, self._sender.interval)

    def resume_writing(self) -> None:
        """The client has taken all that was written."""
        is_sent = self._sender.resume()
        if self._phase is _Phase.RESPONSE and self._body is None:
            self.timeout = math.inf
        if is_sent and self._phase is _Phase.RESPONSE and not (self._handling or self._stream):
            self._finish()

    def connection_lost(self, _error: Exception | None) -> None:
        """Let all go; what is being written to the database goes on."""
        self._connections.release(self)
        self._phase, self._buffer = _Phase.END, b""
        self._sender.close()
        if self._body is not None:
            self._body.fail(ClientGoneError())
        if self._stream is not None:
            self._stream.cancel()

    # Requests

    def _serve(self) -> None:
        """Have the requests in the buffer answered, one after the other."""
        if self._is_serving:
            return
        self._is_serving = True
        for _ in range(_MAX_IN_A_ROW):
            if not self._buffer or self._phase not in (_Phase.REQUEST, _Phase.HEAD):
                break
            self._read_request()
        self._is_serving = False
        if self._phase not in (_Phase.REQUEST, _Phase.HEAD):
            if len(self._buffer) > _MAX_BUFFER:
                self._transport.pause_reading()
        elif self._buffer:
            self._loop.call_soon(self._serve)
        elif self._is_ended:
            self._transport.close()

    def _read_request(self) -> None:
        try:
            head = self._read_head()
        except RequestError as error:
            self._refuse(error)
            return
        if head is None:
            return
        fields = head.fields
        request = Request(
            self._connections.next_number(), head.method, head.path, head.query, fields.headers
        )
        self._begin(request)
        self._asks_to_continue = fields.expects_continue
        self._takes_chunks = head.version == b"HTTP/1.1"
        if not head.keeps_alive or self._is_stopping:
            self._connection_line = _CLOSE
        elif not self._takes_chunks:
            self._connection_line = _KEEP_ALIVE
        elif head.is_all and head.method == "GET":
            request.wire = head.data
        if fields.length or fields.is_chunked:
            wanted = self._want_body
            request.body = ChunkedBody(wanted) if fields.is_chunked else Body(fields.length, wanted)
            self._body = request.body
            self._wait(_Phase.RESPONSE, self._settings.body_timeout)
            self._buffer = self._feed(request.body, self._buffer)
        self._handle(request)

    def _read_head(self) -> Head | None:
        """The next head, once it is whole; it is taken out of the buffer."""
        data = self._buffer
        if self._parser is None:
            head = self._connections.known_fields.find(data)
            if head is not None:
                self._buffer = data[head.size :]
                return head
            self._parser = HeadParser()
            self._wait(_Phase.HEAD, self._settings.head_timeout)
        self._buffer = b""
        head = self._parser.feed(data)
        if head is not None:
            self._connections.known_fields.keep(head)
            self._buffer = head.data[head.size :]
            self._parser = None
        return head

    def _refuse(self, error: RequestError) -> None:
        """Have the application say why, and end the connection."""
        request = Request(self._connections.next_number(), "GET", error=error)
        if self._parser is not None:
            request.method, request.headers = self._parser.method, self._parser.headers
        elif self._request is not None:
            request.method, request.headers = self._request.method, self._request.headers
        self._begin(request)
        self._connection_line = _CLOSE
        self._handle(request)

    def _begin(self, request: Request) -> None:
        self._request = request
        self._connection_line = b""
        self._wait(_Phase.RESPONSE, math.inf)

    def _handle(self, request: Request) -> None:
        self._handling = self._connections.application.handle(request)
        self._awaited = None
        self._step()

    def _step(self, awaited: "asyncio.Future[Any] | None" = None) -> None:
        """Run the handling of the request on, to its response or to what it waits for."""
        if self._handling is None or awaited is not self._awaited:
            return  # it was abandoned
        try:
            self._awaited = self._handling.send(None)
        except StopIteration as end:
            self._handling = None
            self._respond(end.value)
        except ClientGoneError:
            self._handling = None
        else:
            self._await_step()

    def _await_step(self) -> None:
        if self._awaited is None:
            self._loop.call_soon(self._step)
        else:
            self._awaited.add_done_callback(self._step)

    # Bodies

    def _feed(self, body: Body, data: bytes) -> bytes:
        """Give the body its part of the data; what follows it."""
        data = body.feed(data)
        if body.has_failed:
            self._connection_line = _CLOSE
        elif body.is_complete:
            self._body = None
            if self._phase is _Phase.BODY:
                self._become_idle()
            else:
                self.timeout = math.inf
        elif body.buffered > _MAX_BUFFER and not body.is_wanted:
            self._transport.pause_reading()
        return data

    def _want_body(self) -> None:
        if self._asks_to_continue and not self._transport.is_closing():
            self._asks_to_continue = False
            self._transport.write(_CONTINUE)
        self._transport.resume_reading()

    # Responses

    def _repeat(self, response: Response) -> None:
        """Respond to a request that was seen before: HTTP/1.1, whole, and without a body."""
        connections = self._connections
        self._connection_line = b""
        self._become_idle()
        number = connections.next_number()
        head = b"%s%s%x\r\n\r\n" % (response.head, connections.end_of_heads, number)
        if not self._sender.send(head, response.body):
            self._phase = _Phase.RESPONSE

    def _respond(self, response: Response | Stream) -> None:
        request = self._request
        if request is None or self._transport.is_closing():
            return
        if self._asks_to_continue and self._body is not None:
            self._connection_line = _CLOSE  # the client may send the body yet, or not
        if isinstance(response, Stream):
            self._stream = self._loop.create_task(self._send_stream(request, response))
        elif not self._sender.has_room_for(response.body):
            self._refuse(RequestError(50301))
        else:
            body = b"" if request.method == "HEAD" else response.body
            if self._sender.send(self._write_head(request, response.head), body):
                self._finish()

    def _write_head(self, request: Request, head: bytes, framing: bytes = b"") -> bytes:
        common = self._connections.end_of_heads
        lines = framing + self._connection_line
        return b"%s%s%x\r\n%s\r\n" % (head, common, request.number, lines)

    async def _send_stream(self, request: Request, stream: Stream) -> None:
        framing = _CHUNKED
        if not self._takes_chunks:
            framing, self._connection_line = b"", _CLOSE
        head = self._write_head(request, stream.head, framing)
        seconds = self._settings.stream_timeout
        is_whole = await send_stream(self._sender, head, stream, seconds, chunked=bool(framing))
        self._stream = None
        if is_whole:
            self._finish()
        else:
            self._transport.abort()

    def _finish(self) -> None:
        """Go on after a response that is out of our hands."""
        if self._connection_line is _CLOSE or self._is_stopping:
            self._end()
            return
        if self._body is not None:
            self._body.discard()
            self._wait(_Phase.BODY, self._settings.body_timeout)
        else:
            self._become_idle()
        self._transport.resume_reading()
        self._serve()

    def _become_idle(self) -> None:
        """Wait for the next request; sooner, look whether the client has the response."""
        self._phase = _Phase.REQUEST
        self.since, self.timeout = self._connections.now, self._first_idle
        self._extension = self._settings.idle_timeout - self._first_idle

    def _end(self) -> None:
        """Close the connection, but not before the client has read the response.

        Closing with data unread would have the client's system throw the response away.
        """
        was_refused = self._request is not None and self._request.error is not None
        if self._body is None and not was_refused:
            self._transport.close()
            return
        self._body, self._buffer = None, b""
        self._wait(_Phase.END, _LINGER_SECONDS)
        self._transport.resume_reading()
        if self._transport.can_write_eof():
            self._transport.write_eof()

    # Deadlines

    def _wait(self, phase: _Phase, timeout: float) -> None:
        self._phase = phase
        self.since, self.timeout = self._connections.now, timeout

    def expire(self) -> None:
        """End what took too long."""
        if self._phase is _Phase.HEAD and self._parser is not None and self._parser.has_begun:
            self._refuse(RequestError(40802))
        elif self._phase is _Phase.REQUEST:
            self._expire_idle()
        elif self._phase is not _Phase.RESPONSE:
            self._transport.close()
        elif self._sender.is_paused:
            if self._sender.has_timed_out():
                logger.warning("a response was given up: its client takes it too slowly")
                self._transport.abort()
            self.since = self._connections.now
        elif self._body is not None and self._transport.is_reading():
            self.timeout, self._connection_line = math.inf, _CLOSE
            self._body.fail(RequestError(40801))

    def _expire_idle(self) -> None:
        if count_unacknowledged(self._transport):
            self._transport.abort()  # else the system would keep the response for long
        elif self._extension:
            self.timeout, self._extension = self.timeout + self._extension, 0.0
        else:
            self._transport.close()

    def drop(self) -> None:
        """Close the connection, whatever it waits for."""
        self._transport.abort()

    def shutdown(self) -> None:
        """Close the connection after the request in flight."""
        self._is_stopping = True
        if self._phase is not _Phase.RESPONSE:
            self._transport.close()
        elif self._body is None and self._handling is not None:
            self._connection_line = _CLOSE

    def abandon(self) -> None:
        """Have the application end the request in flight: it is waited for no longer."""
        if self._stream is not None:
            self._stream.cancel()
            return
        handling, self._handling = self._handling, None
        try:
            if handling is not None:
                handling.throw(asyncio.CancelledError())
        except StopIteration as end:
            self._connection_line = _CLOSE
            self._respond(end.value)
        self._transport.close()
