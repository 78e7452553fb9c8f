"""Assembles the body of a request as it arrives, by its length or from chunks.

Invariant: the feeder bounds what is buffered (see ``buffered``); the framing of chunks is bounded
by their content. A body that nobody reads is discarded as it arrives.
"""

import asyncio
import math
import re
import time
from collections.abc import Callable
from typing import Self

from plantstore.core.errors import RequestError

MAX_WHOLE = 16 * 1024  # bytes of a body that is read with its head, without a ``Body``
MAX_FRAMING = 16 * 1024  # bytes of framing beyond half of the content's bytes; also of one line

_MAX_LINES = 192  # of framing, read in a quarter of a millisecond
_LINE_BYTES = 256  # of an incomplete line, examined in the time of a line
_SIZE = re.compile(rb"([0-9A-Fa-f]{1,16})[ \t]*+(?:;[\t\x20-\x7e\x80-\xff]*+)?+\r\n")
_END = re.compile(rb"\r\n")
_TRAILERS = re.compile(rb"(?:[!#$%&'*+.^_`|~0-9A-Za-z-]+:[\t\x20-\x7e\x80-\xff]*\r\n)++|\r\n")
_REST = (b"\r\n", b"\n", b"0\r\n", b":\r\n")  # one of these completes any incomplete line


class ClientGoneError(Exception):
    """The client has gone."""


class Body:
    """A body of ``length`` bytes. ``wanted`` is called when a reader begins to wait for more.

    ``buffered`` counts the bytes that have arrived and are kept; ``arrived_at`` is the time of the
    last ones, by ``time.perf_counter``. ``wanted_at`` is when the reader began to wait, by the
    loop's time. ``lines`` counts the lines of framing in what was last fed.
    """

    def __init__(self, length: int, wanted: Callable[[], None]) -> None:
        self.is_complete = length == 0
        self.wanted_at = math.inf
        self.has_failed = False
        self.buffered = self.lines = 0
        self.arrived_at = 0.0
        self._length = self._missing = length
        self._wanted = wanted
        self._parts: list[bytes] | None = []
        self._error: Exception = ClientGoneError()
        self._arrival = asyncio.Event()

    @classmethod
    def of(cls, data: bytes) -> Self:
        body = cls(len(data), lambda: None)
        body.feed(data)
        return body

    async def read(self, max_bytes: int) -> bytes:
        """The complete body.

        :raises RequestError: it is longer than ``max_bytes``, too slow, or not well-formed.
        :raises ClientGoneError: it will never be complete.
        """
        if self._length <= max_bytes:
            await self._receive(max_bytes)
        if max(self._length, self.buffered) > max_bytes:
            raise RequestError(41301)
        return b"".join(self._parts or ())

    async def read_part(self) -> bytes:
        """The bytes that have arrived since the last part; empty at the end.

        :raises RequestError: nothing has arrived for too long, or it is not well-formed.
        :raises ClientGoneError: it will never be complete.
        """
        await self._receive(0)
        part, self._parts, self.buffered = b"".join(self._parts or ()), [], 0
        return part

    async def _receive(self, count: int) -> None:
        """Wait until more than ``count`` bytes are buffered, or the body ends."""
        if not self._has(count):
            self._wanted()
            self.wanted_at = asyncio.get_running_loop().time()
            while not self._has(count):
                self._arrival.clear()
                await self._arrival.wait()
            self.wanted_at = math.inf
        if self.has_failed:
            try:
                raise self._error
            finally:  # its traceback keeps the body, and so the connection
                self._error = ClientGoneError()

    def _has(self, count: int) -> bool:
        return self.is_complete or self.has_failed or self.buffered > count

    def accept(self) -> None:
        """Request the body before the response begins, because parts of it will be read."""
        if not self.is_complete:
            self._wanted()

    def feed(self, data: bytes) -> bytes:
        """Consume the bytes of the body, and return those that follow it, or many chunks."""
        if self.has_failed:
            return b""
        try:
            data = self._take(data)
        except RequestError as error:
            self.fail(error.with_traceback(None))
            return b""
        self._arrive()
        return data

    def fail(self, error: Exception) -> None:
        """Make ``read`` raise the first such error, unless the body is complete."""
        if not (self.is_complete or self.has_failed):
            self.has_failed, self._error = True, error
            self.discard()
        self._arrive()

    def discard(self) -> None:
        self._parts = None
        self.buffered = 0

    def _take(self, data: bytes) -> bytes:
        rest = data[self._missing :]
        self._keep(data[: self._missing])
        self.is_complete = not self._missing
        return rest

    def _keep(self, part: bytes) -> None:
        self._missing -= len(part)
        if self._parts is not None:
            self._parts.append(part)
            self.buffered += len(part)

    def _arrive(self) -> None:
        self.arrived_at = time.perf_counter()
        self._arrival.set()


class ChunkedBody(Body):
    """A body in chunks, of unknown length. Its trailers are ignored."""

    def __init__(self, wanted: Callable[[], None]) -> None:
        super().__init__(0, wanted)
        self.is_complete = False
        self._expected = _SIZE
        self._line = b""  # an incomplete line
        self._allowance = MAX_FRAMING

    def _take(self, data: bytes) -> bytes:
        data, position, self.lines = self._line + data, 0, 0
        while position < len(data) and not self.is_complete and self.lines < _MAX_LINES:
            if self._missing:
                part = data[position : position + self._missing]
                position += len(part)
                if self._parts is not None:  # a discarded body pays for nothing
                    self._allowance += len(part) // 2
                self._keep(part)
            elif line := self._expected.match(data, position):
                position = line.end()
                self.lines += 1
                self._allowance -= len(line[0])
                if self._allowance < 0:
                    raise RequestError(43101)
                self._follow(line)
            else:
                break
        is_over = self.is_complete or self.lines == _MAX_LINES
        self._line = b"" if is_over else data[position:]
        if not any(self._expected.fullmatch(self._line + rest) for rest in _REST):
            raise RequestError(40011, reason="the chunks of its body are not well-formed")
        self.lines += len(self._line) // _LINE_BYTES  # it is examined again with each new part
        if len(self._line) > min(self._allowance, MAX_FRAMING):
            raise RequestError(43101)
        return data[position:] if is_over else b""

    def _follow(self, line: re.Match[bytes]) -> None:
        if self._expected is _SIZE:
            self._missing = int(line[1], 16)
            self._expected = _END if self._missing else _TRAILERS
        elif self._expected is _END:
            self._expected = _SIZE
        else:
            self.is_complete = line[0] == b"\r\n"
