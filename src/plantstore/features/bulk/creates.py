"""Many plants in one request: a line of the body for each, a line of the response for each.

Invariant: results are in the order of the lines, and each is sent after its commit. While one
window of lines waits for its commit, only the next one is decoded: a body is read no faster than
it is stored, and its results are read. A window that was begun is stored whole, also where the
client has gone.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Mapping
from functools import partial

from plantstore.core.database import Database
from plantstore.core.decoding import Line, decode_lines
from plantstore.core.errors import OverloadedError, PlantStoreError, RequestError
from plantstore.core.model import Caller, Scope
from plantstore.core.pools import Pool
from plantstore.core.settings import Settings
from plantstore.features.bulk.lines import Lines, write_result
from plantstore.features.bulk.writes import BulkWrites
from plantstore.http.app import App
from plantstore.http.limits.turns import Turns
from plantstore.http.new_plant import JSON_TYPE, check_media_type
from plantstore.http.preconditions import refuse_precondition
from plantstore.http.responses import NO_STORE, make_response
from plantstore.server.body import Body, ClientGoneError
from plantstore.server.messages import Request, Response, Stream

logger = logging.getLogger(__name__)

_NDJSON = b"application/x-ndjson"
# nginx keeps back what it takes for a part of a response.
_LINES = b"Content-Type: application/x-ndjson\r\nX-Accel-Buffering: no\r\n" + NO_STORE
_LINES_PER_TURN = 4
_COST = 12  # of these lines: 30 µs each, with its part of a commit


def add_bulk_creates(app: App) -> None:
    """Have ``POST /plants`` take many plants, too."""
    places = app.pools.add_pool(Pool("uploads", app.settings.max_streams))
    bulk = BulkCreates(app.database, app.settings, app.turns, places)
    create_one, admit = app.plants.create, app.authentication.admit

    def create(request: Request, store_name: str | None = None) -> Awaitable[Response | Stream]:
        if request.headers.get(b"content-type") != JSON_TYPE and _is_ndjson(request.headers):
            return create_many(request, store_name)
        return create_one(request, store_name)

    async def create_many(request: Request, store_name: str | None) -> Stream:
        return await bulk.create(request, await admit(request, store_name, Scope.CREATE))

    app.routes.add_of_store("/plants", {"POST": create})
    app.cors.accepted["/plants"] = _NDJSON.decode()


class BulkCreates:
    """Creates the plants of bodies with many, some bodies at a time."""

    def __init__(self, database: Database, settings: Settings, turns: Turns, places: Pool) -> None:
        self._database = database
        self._turns = turns
        self._places = places
        # One window at a time is in the queue of writes: half of what its store may have there.
        self._window_size = max(1, settings.max_writes // 4)
        self._writing = asyncio.Lock()

    async def create(self, request: Request, caller: Caller) -> Stream:
        """Create the plants in the body, as it arrives."""
        check_media_type(request.headers, _NDJSON)
        if b"idempotency-key" in request.headers:
            reason = "is for one plant: leave it out, lines may be sent again as they are"
            raise RequestError(40010, reason=reason)
        refuse_precondition(request.headers)
        body = request.body if isinstance(request.body, Body) else Body.of(request.body)
        await self._places.wait_and_take(caller.token_store_id)
        body.accept()
        close = partial(self._close, caller)
        parts = self._write_results(body, caller, request.id)
        return Stream(make_response(200, _LINES).head, parts, close, stop=partial(_stop, body))

    async def _close(self, caller: Caller) -> None:
        self._places.give_back(caller.token_store_id)

    async def _write_results(
        self, body: Body, caller: Caller, request_id: bytes
    ) -> AsyncIterator[bytes]:
        """The lines of the response. An error that ends the body is told of the next line."""
        writes = BulkWrites(self._database, caller, self._writing)
        error: PlantStoreError | None = None
        try:
            async for window in self._read_windows(body, caller):
                results = await writes.exchange(window)
                if results:
                    yield results
                if writes.are_over:
                    return
        except PlantStoreError as ended:
            error = ended
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

    async def _read_windows(self, body: Body, caller: Caller) -> AsyncIterator[list[Line]]:
        """The lines in windows; an empty one where the client sends no more at the moment."""
        lines, number, part = Lines(), 1, b"\n"
        while part:
            part = await body.read_part()
            found = lines.feed(part) if part else lines.end()
            for start in range(0, len(found), self._window_size):
                window = found[start : start + self._window_size]
                yield await self._decode(window, number, caller)
                number += len(window)
            if not body.buffered:
                yield []

    async def _decode(self, lines: list[bytes], number: int, caller: Caller) -> list[Line]:
        decoded: list[Line] = []
        for start in range(0, len(lines), _LINES_PER_TURN):
            await self._turns.take(caller.principal, _COST)
            decoded += decode_lines(lines[start : start + _LINES_PER_TURN], number + start)
        return decoded


def _is_ndjson(headers: Mapping[bytes, bytes]) -> bool:
    return b"ndjson" in headers.get(b"content-type", b"").partition(b";")[0].lower()


def _stop(body: Body) -> None:
    """Take no more of the body, if there is more."""
    if not body.is_complete:
        body.fail(OverloadedError())
