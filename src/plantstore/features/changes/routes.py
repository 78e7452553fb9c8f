"""Many changes in one request: each has a line of the body and a line of the response.

Invariant: results are in the order of the lines, and each is sent after its commit. While a window
of lines waits for its commit, only the next window is decoded: a body is read only as fast as it is
stored and its results are read. A window whose write has begun is stored completely, even if the
client has gone. An atomic body is one write with one response.
"""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from functools import partial
from hashlib import sha256
from weakref import WeakValueDictionary

from msgspec.structs import replace

from plantstore.core.errors import (
    InvalidChangeError,
    OverloadedError,
    PlantStoreError,
    RequestError,
)
from plantstore.core.fair_queue import BYTES_READ, LINES_PARSED
from plantstore.core.model import Outcome
from plantstore.core.operations import Atomic, RefusedError, Write, explain
from plantstore.core.pools import Pool
from plantstore.features.changes.csv_lines import CsvLines
from plantstore.features.changes.lines import Lines, describe_line, write_result
from plantstore.features.changes.writes import Window, Writes, is_of_all
from plantstore.http.app import App
from plantstore.http.errors import error_response
from plantstore.http.lanes import Lane
from plantstore.http.list_parameters import split_parameters
from plantstore.http.responses import NO_STORE, make_response, revision_line
from plantstore.http.write_headers import REPLAYED, check_media_type, read_key, refuse_precondition
from plantstore.server.body import Body, ClientGoneError
from plantstore.server.messages import Request, Response, Stream

logger = logging.getLogger(__name__)

_NDJSON, _CSV = b"application/x-ndjson", b"text/csv"
# Without it, nginx buffers the parts of a response.
_LINES = b"Content-Type: application/x-ndjson\r\nX-Accel-Buffering: no\r\n" + NO_STORE
_PIECE, _PIECE_COST = 1024, 2  # bytes split at a time, in up to 0.3 ms
_LINES_PER_TURN = 4
_COST = 10  # turns for so many lines, which take 30 µs each with their part of a commit
_ATOMIC_COST = 5  # as many lines of an atomic body
_MAX_ATOMIC = 1000  # lines
_KEPT = 4  # bytes of a decoded line for each byte: a text with an emoji takes 4 per character
# Lines of an atomic body. Of all stores, one longer body at a time is written, and one of the
# longest, so that shorter ones do not wait for these.
_LONG, _LONGEST = 32, 256
_SHARE = 1 / 2  # of the time, for both


def add_changes(app: App) -> None:
    app.routes.add_of_store("/changes", {"POST": Changes(app).respond})


class Changes:
    """Handles several bodies with changes at a time."""

    def __init__(self, app: App) -> None:
        self._app = app
        self._slots = app.pools.add_pool(Pool("uploads", app.settings.max_streams))
        # Of each store, one window at a time is in the write queue.
        self._window_size = max(1, app.settings.max_requests // 8)
        self._locks = WeakValueDictionary[int, asyncio.Lock]()
        make_lane = partial(Lane, app.turns, app.settings.workers, _SHARE, busy=set[Lane]())
        self._long_lane, self._longest_lane = make_lane(), make_lane()

    async def respond(self, request: Request, store_name: str | None = None) -> Response | Stream:
        """Make the changes as the body arrives or, if they are atomic, all at once."""
        caller = await self._app.authentication.admit(request, store_name, None)
        is_csv = request.headers.get(b"content-type", b"").lower().startswith(_CSV)
        check_media_type(request.headers, _CSV if is_csv else _NDJSON)
        lines = CsvLines(caller) if is_csv else Lines(caller)
        refuse_precondition(request.headers)
        is_atomic = _read_atomic(request.query)
        if b"idempotency-key" in request.headers and not is_atomic:
            reason = "needs atomic=true: omit it here, because lines can be sent again as they are"
            raise RequestError(40010, reason=reason)
        body = request.body if isinstance(request.body, Body) else Body.of(request.body)
        await self._slots.wait_and_acquire(caller.token_store_id)
        if is_atomic:
            try:
                return await self._make_all(request, body, lines)
            finally:
                await self._close(lines)
        body.accept()
        close = partial(self._close, lines)
        parts = self._write_results(body, lines, request.id)
        stop = partial(body.fail, OverloadedError())
        return Stream(make_response(200, _LINES).head, parts, close, stop=stop)

    async def _close(self, lines: Lines) -> None:
        self._slots.release(lines.caller.token_store_id)
        if lines.kept:
            self._app.pools.unsent_bytes.release(lines.caller.token_store_id, lines.kept)

    async def _write_results(
        self, body: Body, lines: Lines, request_id: bytes
    ) -> AsyncIterator[bytes]:
        """The lines of the response. An error that ends the body becomes the next line's result."""
        writes = Writes(self._app.database, self._lock_of(lines.caller.token_store_id))
        error: PlantStoreError | None = None
        try:
            async for number, window in self._read_windows(body, lines):
                changes = await self._decode(window, number, lines, _COST)
                if results := await writes.exchange(changes):
                    yield results
                if writes.are_over:
                    return
        except PlantStoreError as ended:
            error = ended.with_traceback(None)  # it has this frame
        except ClientGoneError:
            raise
        except Exception:
            logger.exception("request %s failed", request_id.decode())
            error = RequestError(50001)
        results = await writes.exchange([])
        if error is not None and not writes.are_over:
            results += write_result(writes.next_line, error)
        if results:
            yield results

    async def _make_all(self, request: Request, body: Body, lines: Lines) -> Response:
        """Make all of the changes, or none."""
        caller = lines.caller
        window: list[tuple[int, Write]] = []
        results, fingerprint = [], sha256()
        async for first, part in self._read_windows(body, lines):
            fingerprint.update(text := b"\n".join((*part, b"")))
            self._app.pools.unsent_bytes.acquire(caller.token_store_id, _KEPT * len(text))
            lines.kept += _KEPT * len(text)
            for number, change in await self._decode(part, first, lines, _ATOMIC_COST):
                if isinstance(change, PlantStoreError):
                    return _refuse(request, number, change)
                window.append((number, change))
                results.append(write_result(number, change))
            if len(window) > _MAX_ATOMIC:
                raise InvalidChangeError(reason=f"atomic=true takes at most {_MAX_ATOMIC} lines")
        key = read_key(request.headers, fingerprint.digest())
        changes = [change for _, change in window]
        revision = caller.revision
        try:
            if changes:
                changes[0] = replace(changes[0], key=key)
                atomic = Atomic(caller.store_id, changes)
                async with self._lane_of(caller.token_store_id, atomic):
                    _, revision = await self._app.database.write(atomic)
        except RefusedError as refused:
            if refused.outcome is Outcome.REPLAYED:
                headers = _LINES + REPLAYED + revision_line(refused.revision)
                return make_response(200, headers, b"".join(results))
            number, change = window[refused.index]
            error = explain(refused.outcome, change)
            if is_of_all(error):
                raise error from None
            return _refuse(request, number, error)
        return make_response(200, _LINES + revision_line(revision), b"".join(results))

    def _lane_of(self, store_id: int, atomic: Atomic) -> AbstractAsyncContextManager[None]:
        count = len(atomic.writes)
        if count <= _LONG:
            return self._lock_of(store_id)
        lane = self._long_lane if count <= _LONGEST else self._longest_lane
        return lane.of(store_id, lambda: atomic.seconds)

    def _lock_of(self, store_id: int) -> asyncio.Lock:
        return self._locks.setdefault(store_id, asyncio.Lock())

    async def _read_windows(
        self, body: Body, lines: Lines
    ) -> AsyncIterator[tuple[int, list[bytes]]]:
        """Windows of lines, each with the number of its first line.

        A window is empty if no further line has arrived. Many lines may be one record.
        """
        number, part = 1, b"\n"
        while part:
            part = await body.read_part()
            complete = list[bytes]() if part else lines.end()
            for start in range(0, len(part), _PIECE):
                piece = part[start : start + _PIECE]
                cost = _PIECE_COST + piece.count(b"\n") // LINES_PARSED
                await self._app.turns.take(lines.caller.principal, cost)
                complete += lines.feed(piece)
            for start in range(0, len(complete), self._window_size):
                window = complete[start : start + self._window_size]
                yield number, window
                number += len(window)
            if not body.buffered:
                yield number, []

    async def _decode(self, window: list[bytes], number: int, lines: Lines, least: int) -> Window:
        """Decode the changes; blank lines are counted and skipped."""
        decoded = []
        read = [(place, line) for place, line in enumerate(window, number) if line]
        for at, (place, line) in enumerate(read):
            if not at % _LINES_PER_TURN or len(line) > BYTES_READ:
                cost = least + len(line) // BYTES_READ
                if not at:  # it had a turn to split the lines
                    self._app.turns.charge(lines.caller.principal, cost)
                else:
                    await self._app.turns.take(lines.caller.principal, cost)
            if not line.isspace() and (change := lines.read(line)) is not None:
                decoded.append((place, change))
        return decoded


def _read_atomic(query: bytes) -> bool:
    given = split_parameters(query) if query else {}
    values = given.pop("atomic", ["false"])
    if given or values not in (["true"], ["false"]):
        raise RequestError(40013, reason="must be atomic, given once, as true or false")
    return values == ["true"]


def _refuse(request: Request, number: int, error: PlantStoreError) -> Response:
    """The response to an atomic body with a refused line."""
    request.refusal = error
    error.details["refused_line"] = number
    return error_response(error, f"line {number}: {describe_line(error)}")
