"""uvicorn's HTTP protocol with what it lacks: bounds, deadlines, and errors in our shape.

Invariant: whatever arrives on a connection, it is answered with the interface's Error or closed
within the deadlines, and no more than the bounds is kept of it. The common request, whole in one
piece, pays a few comparisons.
"""

import asyncio
import sys
from enum import Enum, auto
from typing import Any

from uvicorn.config import Config
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol
from uvicorn.server import ServerState

from plantstore.errors import OverloadedError, PlantStoreError
from plantstore.http.answers import Answer, answer_error
from plantstore.http.errors import (
    HeadTooLargeError,
    MalformedRequestError,
    SlowBodyError,
    SlowHeadError,
    TargetTooLongError,
)
from plantstore.http.request_ids import make_request_id
from plantstore.settings import Settings

HEAD_MAX = 16 * 1024
HEADERS_MAX = 100
TARGET_MAX = 8 * 1024
SINGLE_HEADERS = (
    b"host",
    b"authorization",
    b"content-type",
    b"content-length",
    b"idempotency-key",
)
_LINGER_SECONDS = 1.0


class _Phase(Enum):
    """What is missing of the newest message."""

    HEAD = auto()
    BODY = auto()
    NOTHING = auto()


class BoundedProtocol(HttpToolsProtocol):
    """One connection; its uvicorn configuration has the ``settings``."""

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self._settings: Settings = config.settings  # type: ignore[attr-defined]  # a ServerConfig
        self._phase = _Phase.HEAD
        self._messages = 0
        self._deadline: asyncio.TimerHandle | None = None
        self._deadline_of = (0, _Phase.NOTHING)
        self._chunk_size = 0
        self._head_size = 0
        self._refused = False

    # The connection's events

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Give the first head its deadline; refuse a connection past the bound."""
        super().connection_made(transport)
        self._update_deadline()
        if len(self.connections) > self._settings.max_connections:
            self._refuse(OverloadedError())

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the deadline."""
        self._phase = _Phase.NOTHING
        self._update_deadline()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Parse, then look what is still missing of the message."""
        if self._refused:
            return
        self._chunk_size = len(data)
        if self._phase is _Phase.HEAD:
            self._head_size += len(data)
        super().data_received(data)
        if self._phase is _Phase.HEAD and self._head_size > HEAD_MAX:
            self._refuse(HeadTooLargeError())
        if self._phase is not _Phase.NOTHING or self._deadline is not None:
            self._update_deadline()

    # The parser's events

    def on_message_begin(self) -> None:
        """A message begins, maybe in the middle of a chunk: its first chunk is not counted."""
        self._phase = _Phase.HEAD
        self._messages += 1
        self._head_size = 0
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """Check the head as a whole, and let the request begin."""
        self._check_head()
        super().on_headers_complete()
        self._phase = _Phase.BODY
        if self.expect_100_continue:
            # It may be answered without its body being read, and then never be sent.
            self.cycle.keep_alive = False

    def on_message_complete(self) -> None:
        """Nothing is missing any more."""
        self._phase = _Phase.NOTHING
        super().on_message_complete()

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

    def _unsupported_upgrade_warning(self) -> None:
        # The parser takes all that follows for another protocol, so the connection ends here.
        if self.cycle is not None:
            self.cycle.keep_alive = False

    def _check_head(self) -> None:
        if len(self.url) > TARGET_MAX:
            raise TargetTooLongError
        if len(self.headers) > HEADERS_MAX:
            raise HeadTooLargeError
        # Only the exact sum tells, but a small chunk needs none.
        if self._chunk_size + self._head_size > HEAD_MAX and _size(self.headers) > HEAD_MAX:
            raise HeadTooLargeError
        distinct = dict(self.headers)
        if len(distinct) < len(self.headers):
            names = [name for name, _ in self.headers]
            for name in SINGLE_HEADERS:
                if names.count(name) > 1:
                    raise MalformedRequestError(fault=f"it has the header {name.decode()} twice")
        if b"host" not in distinct and self.parser.get_http_version() != "1.0":
            raise MalformedRequestError(fault="it has no Host header")

    # Deadlines and refusals

    def _update_deadline(self) -> None:
        current = (self._messages, self._phase)
        if current == self._deadline_of:
            return
        self._deadline_of = current
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
        if self._phase is _Phase.HEAD:
            self._deadline = self.loop.call_later(self._settings.head_timeout, self._expire)
        elif self._phase is _Phase.BODY:
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
        if self.transport.is_closing():
            return
        cycle = self.cycle
        if self._phase is not _Phase.BODY and cycle is not None and not cycle.response_complete:
            # An earlier request is being answered: let it end.
            cycle.keep_alive = False
        elif self._phase is _Phase.BODY and (self.pipeline or cycle.response_started):
            self.transport.close()
        else:
            self._refused = True
            answer = answer_error(error)
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


def _size(headers: list[tuple[bytes, bytes]]) -> int:
    return sum(len(name) + len(value) + len(": \r\n") for name, value in headers)


def _head_of(answer: Answer) -> bytes:
    headers = [*answer.headers, (b"x-request-id", make_request_id()), (b"connection", b"close")]
    lines = b"".join(b"%s: %s\r\n" % header for header in headers)
    return STATUS_LINE[answer.status] + lines + b"\r\n"
