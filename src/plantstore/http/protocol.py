"""uvicorn's HTTP protocol with what it lacks: bounds, deadlines, and errors in our shape.

Invariant: whatever arrives on a connection, it is answered with the interface's Error or closed
within the deadlines, and no more than the bounds is kept of it. The common request, whole in one
piece, pays a few comparisons.
"""

import asyncio
import logging
import sys
from enum import Enum, auto
from typing import Any

import httptools
from uvicorn._types import ASGI3Application
from uvicorn.config import Config
from uvicorn.protocols.http.flow_control import HIGH_WATER_LIMIT, FlowControl
from uvicorn.protocols.http.httptools_impl import (
    STATUS_LINE,
    HttpToolsProtocol,
    RequestResponseCycle,
)
from uvicorn.server import ServerState

from plantstore.errors import OverloadedError, PlantStoreError
from plantstore.http.answers import Answer, answer_error
from plantstore.http.errors import (
    HeadTooLargeError,
    MalformedRequestError,
    SlowBodyError,
    SlowHeadError,
)
from plantstore.http.heads import HEAD_MAX, check_head, make_head, without_upgrade
from plantstore.http.request_ids import make_request_id
from plantstore.settings import Settings

logger = logging.getLogger(__name__)

_PIECE = 4096
_LINGER_SECONDS = 1.0


class _Phase(Enum):
    """What is missing of the newest message."""

    HEAD = auto()
    BODY = auto()
    NOTHING = auto()


class _Flow(FlowControl):
    """Reading stays paused while ``is_held``, whoever asks."""

    is_held = False

    def resume_reading(self) -> None:
        if not self.is_held:
            super().resume_reading()


class BoundedProtocol(HttpToolsProtocol):
    """One connection; its uvicorn configuration has the ``settings``."""

    flow: _Flow

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self._settings: Settings = config.settings  # type: ignore[attr-defined]  # a ServerConfig
        self._unparsed = b""
        self._piece = b""
        self._phase = _Phase.HEAD
        self._messages = 0
        self._deadline: asyncio.TimerHandle | None = None
        self._deadline_of = (0, _Phase.NOTHING)
        self._write_deadline: asyncio.TimerHandle | None = None
        self._head_most = 0  # bytes of the pieces that hold the head: it has no more
        self._overhead = 0  # bytes of the pieces since the message began, or more of its body came
        self._upgrades = False
        self._refused = False
        self._running: RequestResponseCycle | None = None

    # The connection's events

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # uvicorn's own kind
        """Give the first head its deadline; refuse a connection past the bound."""
        super().connection_made(transport)
        self.flow = _Flow(transport)
        # Writing is paused while anything is not taken: each answer has a deadline, also the last.
        transport.set_write_buffer_limits(high=1, low=0)
        self._update_deadline()
        if len(self.connections) > self._settings.max_connections:
            self.connections.discard(self)  # it takes no place while it reads its refusal
            self._refuse(OverloadedError())

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the deadlines."""
        self._phase = _Phase.NOTHING
        self._unparsed = b""
        self._update_deadline()
        self._cancel_write_deadline()
        self._unset_keepalive_if_required()  # uvicorn does so where nothing went wrong
        if self._running is not None:  # uvicorn tells the newest request, which may wait for it
            self._running.disconnected = True
            self._running.message_event.set()
        super().connection_lost(exc)

    def eof_received(self) -> bool:  # type: ignore[override]  # asyncio's says so
        """Let a request in hand end where its client has sent all that it will."""
        busy = self.cycle is not None and not self.cycle.response_complete
        if busy:
            self.cycle.keep_alive = False
        return busy and self._phase is not _Phase.BODY

    def pause_writing(self) -> None:
        """Give a client that takes nothing a deadline."""
        super().pause_writing()
        if self._write_deadline is None:
            self._write_deadline = self.loop.call_later(
                self._settings.body_timeout, self._give_up_writing
            )

    def resume_writing(self) -> None:
        """The client takes again."""
        super().resume_writing()
        self._cancel_write_deadline()

    def _give_up_writing(self) -> None:
        logger.warning("an answer was given up: its client takes it too slowly")
        self.transport.abort()

    def _cancel_write_deadline(self) -> None:
        if self._write_deadline is not None:
            self._write_deadline.cancel()
            self._write_deadline = None

    def data_received(self, data: bytes) -> None:
        """Parse, but no further than to the second request that waits for the first's answer."""
        if self._refused:
            return
        if not self._unparsed and len(data) <= _PIECE:
            self._parse(data)
        else:
            self._unparsed += data
            self._parse_on()

    def on_response_complete(self) -> None:
        """Go on with what was held back."""
        super().on_response_complete()
        if self._unparsed or self._phase is not _Phase.NOTHING:
            self.loop.call_soon(self._parse_on)

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: ASGI3Application) -> None:
        self._running = cycle
        super()._start_asgi_task(cycle, app)

    def _parse_on(self) -> None:
        data, start = self._unparsed, 0
        while start < len(data) and not self.pipeline and not self._refused:
            self._parse(data[start : start + _PIECE])
            start += _PIECE
        self._unparsed = data[start:]
        was_held, self.flow.is_held = self.flow.is_held, bool(self._unparsed)
        if self.flow.is_held:
            self.flow.pause_reading()
        elif was_held and len(self.cycle.body) <= HIGH_WATER_LIMIT:
            self.flow.resume_reading()
        self._update_deadline()

    def _parse(self, piece: bytes) -> None:
        self._piece = piece
        if self._phase is _Phase.HEAD:
            self._head_most += len(piece)
        self._overhead += len(piece)
        super().data_received(piece)
        if self._phase is not _Phase.NOTHING and self._overhead > HEAD_MAX:
            self._refuse(HeadTooLargeError())
        if self._phase is not _Phase.NOTHING or self._deadline is not None:
            self._update_deadline()
        if self._phase is _Phase.NOTHING and self.cycle.response_complete:
            self._await_next()

    def _await_next(self) -> None:
        """Stay idle: what came was the rest of an answered request, or blank lines."""
        if self.timeout_keep_alive_task is None:
            self.timeout_keep_alive_task = self.loop.call_later(
                self.timeout_keep_alive, self.timeout_keep_alive_handler
            )

    # The parser's events

    def on_message_begin(self) -> None:
        """A message begins, maybe in the middle of a piece."""
        self._phase = _Phase.HEAD
        self._messages += 1
        self._head_most = len(self._piece)
        self._overhead = 0
        self._upgrades = False
        super().on_message_begin()

    def on_header(self, name: bytes, value: bytes) -> None:
        """Keep a header; what comes behind a chunked body is none, and is not kept."""
        if self._phase is not _Phase.BODY:
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """Check the head as a whole, and let the request begin."""
        version = self.parser.get_http_version()
        check_head(self.url, self.headers, version, self._head_most)
        if self.parser.should_upgrade():
            if self.parser.get_method() == b"CONNECT":
                raise MalformedRequestError(fault="CONNECT is for proxies")
            self._upgrades = True
            return
        super().on_headers_complete()
        self._phase = _Phase.BODY
        self._overhead = 0
        if version == "1.0":
            self.cycle.waiting_for_100_continue = False
        elif self.expect_100_continue:
            # It may be answered without its body being read, and then never be sent.
            self.cycle.keep_alive = False

    def on_body(self, body: bytes) -> None:
        """More of the body: what is around its chunks, and behind them, is bounded as a head is."""
        self._overhead = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        """Nothing is missing any more."""
        if self._upgrades:
            return
        self._phase = _Phase.NOTHING
        super().on_message_complete()

    def _unsupported_upgrade_warning(self) -> None:
        """Take a request to upgrade for one without (uvicorn's hook).

        The parser takes all behind its head for another protocol: a new one gets the head again,
        without the wish, and the rest.
        """
        error = sys.exception()
        rest = self._piece[error.args[0] :] if error is not None else b""
        method, version = self.parser.get_method(), self.parser.get_http_version().encode()
        head = make_head(method, self.url, version, without_upgrade(self.headers))
        self.parser = httptools.HttpRequestParser(self)
        self._piece = head + rest
        super().data_received(self._piece)

    def send_400_response(self, msg: str) -> None:
        """Refuse what the parser, or the check of the head, could not take (uvicorn's hook)."""
        error = sys.exception()
        cause = error.__context__ if error is not None else None
        if isinstance(cause, PlantStoreError):
            self._refuse(cause)
        else:
            # A cause is an error of uvicorn's own callbacks, which read the target.
            fault = str(error or msg) if cause is None else "its target is none of ours"
            self._refuse(MalformedRequestError(fault=fault))

    # Deadlines and refusals

    def _update_deadline(self) -> None:
        # What waits for an earlier request's answer is not the one that is slow.
        phase = _Phase.NOTHING if self.pipeline or self._unparsed else self._phase
        current = (self._messages, phase)
        if current == self._deadline_of:
            return
        self._deadline_of = current
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
        if phase is _Phase.HEAD:
            self._deadline = self.loop.call_later(self._settings.head_timeout, self._expire)
        elif phase is _Phase.BODY:
            self._deadline = self.loop.call_later(self._settings.body_timeout, self._expire)

    def _expire(self) -> None:
        if self._phase is _Phase.BODY:
            self._refuse(SlowBodyError())
        elif self._messages:
            self._refuse(SlowHeadError())
        else:  # not a byte came: nobody waits for an answer
            self.transport.close()

    def _refuse(self, error: PlantStoreError) -> None:
        """Answer the newest message with an error, where it is its turn, and end the connection."""
        if self.transport.is_closing() or self._refused:
            return
        self._refused = True
        cycle = self.cycle
        has_begun = self._phase is _Phase.BODY
        if has_begun and self.pipeline:
            # It waits for an earlier request's answer: then it is answered in its turn.
            self.pipeline[0] = (cycle, _Refusal(error))
            cycle.keep_alive = False
        elif not has_begun and cycle is not None and not cycle.response_complete:
            # An earlier request is being answered: let it end.
            cycle.keep_alive = False
        elif has_begun and cycle.response_started:
            self.transport.close()
        else:
            self._answer_now(answer_error(error))

    def _answer_now(self, answer: Answer) -> None:
        if self._phase is _Phase.BODY:
            # Its application gets no chance to answer too.
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        is_head = self.parser.get_method() == b"HEAD"
        self.transport.write(_head_of(answer) + (b"" if is_head else answer.body))
        self._linger()

    def _linger(self) -> None:
        """Close when the client has read the answer: closing with data unread would discard it."""
        if self.transport.can_write_eof():
            self.transport.write_eof()
            self.loop.call_later(_LINGER_SECONDS, self.transport.close)
        else:
            self.transport.close()


class _Refusal:
    """An ASGI application that gives one error."""

    def __init__(self, error: PlantStoreError) -> None:
        self._answer = answer_error(error)

    async def __call__(self, _scope: Any, _receive: Any, send: Any) -> None:  # noqa: ANN401 - ASGI's
        headers = [*self._answer.headers, (b"x-request-id", make_request_id())]
        status = self._answer.status
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": self._answer.body})


def _head_of(answer: Answer) -> bytes:
    headers = [*answer.headers, (b"x-request-id", make_request_id()), (b"connection", b"close")]
    lines = b"".join(b"%s: %s\r\n" % header for header in headers)
    return STATUS_LINE[answer.status] + lines + b"\r\n"
