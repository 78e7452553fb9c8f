"""Lists: cached, read from the database in one piece, or streamed.

Invariant: a response is the store at one revision, and never silently truncated: if the limit
leaves plants out, a Link leads to them.
"""

import asyncio
import zlib
from collections.abc import AsyncIterator
from functools import partial

from msgspec.structs import replace

from plantstore.core.database import Database, Snapshot
from plantstore.core.model import Caller, PlantQuery
from plantstore.core.pools import Pool
from plantstore.http.compression import Compression, choose_coding
from plantstore.http.cors import Cors
from plantstore.http.list_parameters import read_plant_query, write_plant_query
from plantstore.http.response_cache import ResponseCache
from plantstore.http.responses import JSON, header_line, is_current, make_response, revision_line
from plantstore.server.messages import HeaderLines, Request, Response, Stream

# Plants read in one piece, in well under a millisecond; longer lists are streamed in such pieces.
_PAGE_SIZE = 1000
_TOTAL = b"X-Total-Count: %d\r\n"
_CACHING = b"Cache-Control: private, no-cache\r\nVary: Accept-Encoding, Authorization\r\n"


class PlantLists:
    """The lists of all stores."""

    def __init__(self, database: Database, cache: ResponseCache, cors: Cors, places: Pool) -> None:
        self._database = database
        self._places = places
        self._cache = cache
        self._cors = cors
        self._compression = Compression()

    async def respond(self, request: Request, caller: Caller) -> Response | Stream:
        """The requested list, or 304 if the client has it already."""
        cached = self._cache.get((caller.store_id, caller.revision, request.query))
        if cached is None:
            query = read_plant_query(request.query)
            response = _find_unmodified(request, caller)
            if response is None:
                return await self._read(request, caller, query)
        else:
            response = _find_unmodified(request, caller) or cached
        if request.raw:
            lines = self._cors.headers_for(request)
            self._cache.put_request(request.raw, response, caller, lines)
        return response

    async def _read(self, request: Request, caller: Caller, query: PlantQuery) -> Response | Stream:
        store_id = caller.store_id
        page = await self._database.read_page(store_id, query, _PAGE_SIZE)
        if page.more and (query.limit is None or query.limit > _PAGE_SIZE):
            await self._places.wait_and_take(caller.token_store_id)
            response: Response | Stream | None = None
            try:
                response = await self._stream(request, caller, query)
            finally:
                if not isinstance(response, Stream):  # which gives the place back at its end
                    self._places.give_back(caller.token_store_id)
            return response
        headers = _make_headers(store_id, page.revision, request)
        if query.tag is None:
            headers += _TOTAL % page.total
        if page.more:
            headers += _make_link(query, page.last_id)
        response = make_response(200, headers, b"[%s]" % page.plants)
        self._cache.put((store_id, page.revision, request.query), response)
        return response

    async def _stream(
        self, request: Request, caller: Caller, query: PlantQuery
    ) -> Response | Stream:
        snapshot = await self._database.open_snapshot(caller.store_id)
        try:
            coding = choose_coding(request.headers.get(b"accept-encoding"))
            headers = _make_headers(caller.store_id, snapshot.revision, request, coding)
            if query.tag is None:
                headers += _TOTAL % snapshot.total
            last_id = await snapshot.find_last_id(query)
        except BaseException:
            await snapshot.close()
            raise
        if last_id is not None:
            headers += _make_link(query, last_id)
        if request.method == "HEAD":
            await snapshot.close()
            return make_response(200, headers)
        head = make_response(200, headers).head
        parts = _read_parts(snapshot, query)
        if coding is not None:
            parts = self._compression.compress(parts, coding)
        return Stream(head, parts, partial(self._close, snapshot, caller))

    async def _close(self, snapshot: Snapshot, caller: Caller) -> None:
        try:
            await snapshot.close()
        finally:
            self._places.give_back(caller.token_store_id)


def _find_unmodified(request: Request, caller: Caller) -> Response | None:
    """304, if the client has the list already."""
    known = request.headers.get(b"if-none-match")
    if known is not None:
        # The client may have no other coding than it accepts.
        for coding in (None, choose_coding(request.headers.get(b"accept-encoding"))):
            etag = _make_etag(caller.store_id, caller.revision, request.query, coding)
            if is_current(etag, known):
                headers = header_line("ETag", etag) + _CACHING + revision_line(caller.revision)
                return make_response(304, headers)
    return None


async def _read_parts(snapshot: Snapshot, query: PlantQuery) -> AsyncIterator[bytes]:
    task = asyncio.current_task()
    if task is not None:  # a stream is sent by one
        snapshot.watch(task.cancel)
    opening = b"["
    more = True
    while more:
        page = await snapshot.read_page(query, _PAGE_SIZE)
        yield opening + page.plants
        opening = b","
        left = None if query.limit is None else query.limit - page.count
        more = page.more and left != 0
        query = replace(query, first_id=page.last_id + 1, limit=left) if more else query
    yield b"]"


def _make_headers(
    store_id: int, revision: int, request: Request, coding: bytes | None = None
) -> HeaderLines:
    etag = _make_etag(store_id, revision, request.query, coding)
    headers = JSON + header_line("ETag", etag) + _CACHING + revision_line(revision)
    return headers if coding is None else headers + header_line("Content-Encoding", coding)


def _make_etag(store_id: int, revision: int, query: bytes, coding: bytes | None = None) -> bytes:
    etag = b"%x-%x-%x" % (store_id, revision, zlib.crc32(query))
    if coding is None:
        return b'"%s"' % etag
    return b'W/"%s-%s"' % (etag, coding)  # weak: two compressors may differ in their bytes


def _make_link(query: PlantQuery, last_id: int) -> HeaderLines:
    """A reference that is correct under any path: it has only the query."""
    parameters = write_plant_query(replace(query, first_id=last_id + 1))
    return header_line("Link", f'<?{parameters}>; rel="next"'.encode())
