"""Lists: from the cache, read from the database in one piece, or streamed.

Invariant: a response shows the store at one revision, and is never silently truncated: if the limit
omits plants, a Link leads to them.
"""

import asyncio
import time
import zlib
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, nullcontext
from functools import partial

from msgspec.structs import replace

from plantstore.core.database import Database, Snapshot
from plantstore.core.fair_queue import ROUTED
from plantstore.core.model import Caller, Page, PlantQuery, Scope
from plantstore.core.pools import Pool
from plantstore.http.authentication import Authentication
from plantstore.http.compression import choose_coding, compress
from plantstore.http.list_forms import AS_JSON, Form, choose_form, read_rows, split_plants
from plantstore.http.list_parameters import read_plant_query, write_plant_query
from plantstore.http.response_cache import Key, ResponseCache
from plantstore.http.responses import header_line, is_current, make_response, revision_line
from plantstore.server.messages import HeaderLines, Request, Response, Stream

# Plants read at once, in well under a millisecond, if their texts are not long. Longer lists are
# streamed in pages.
_PAGE_SIZE = 1000
_MAX_KEPT = 2**19  # bytes of a list of long texts
_TOTAL = b"X-Total-Count: %d\r\n"
_CACHING = b"Cache-Control: private, no-cache\r\nVary: Accept, Accept-Encoding, Authorization\r\n"
_BY_DATABASE = frozenset({"id"})  # included fields that the database writes
_WRITTEN_AT_A_TURN, _COST = 10, 2  # plants converted to another form, 2 to 8 µs each,
_BYTES_WRITTEN = 1500  # and bytes of them that cost 1 more
_TIMES = 2  # their time costs so much more among others: a thread has read them


class PlantLists:
    """The lists of all stores."""

    def __init__(
        self, database: Database, authentication: Authentication, cache: ResponseCache, slots: Pool
    ) -> None:
        self._database = database
        self._authentication = authentication
        self._slots = slots
        self._lanes, self._turns = authentication.lanes, authentication.turns
        self._cache = cache

    async def respond(self, request: Request, store_name: str | None = None) -> Response | Stream:
        """The requested list, or 304 if the client has it already."""
        caller = await self._authentication.admit(request, store_name, Scope.LIST)
        form = choose_form(request.headers.get(b"accept"))
        key = form.key + request.query
        cached = self._cache.get((caller.store_id, caller.revision, key))
        if cached is None:
            query = read_plant_query(request.query)
        response = find_unmodified(request, caller, key) or cached
        if response is not None:
            self._cache.put_request(request, response, caller)
            return response
        if form is not AS_JSON:
            query = replace(query, with_ids=True)
        return await self._read(request, caller, query, form)

    async def _read(
        self, request: Request, caller: Caller, query: PlantQuery, form: Form
    ) -> Response | Stream:
        async with await self._take_turn(request, query):
            page = await self._database.read_page(
                caller.store_id, query, _PAGE_SIZE, is_shared=self._turns.users.are_several
            )
        if page.more and (query.limit is None or query.limit > page.count):
            await self._slots.wait_and_acquire(caller.token_store_id)
            response: Response | Stream | None = None
            try:
                response = await self._stream(request, caller, query, form)
            finally:
                if not isinstance(response, Stream):  # a stream releases the slot at its end
                    self._slots.release(caller.token_store_id)
            return response
        plants = await self._write(page, request, query, form)
        key = (caller.store_id, page.revision, form.key + request.query)
        headers = form.content_type + make_headers(*key) + _TOTAL % page.total
        if page.more:
            headers += _make_link(query, page.last_id)
        response = make_response(200, headers, b"%s%s%s" % (form.opening, plants, form.closing))
        self._cache.put(key, response)
        return response

    async def _stream(
        self, request: Request, caller: Caller, query: PlantQuery, form: Form
    ) -> Response | Stream:
        request.require_client()
        snapshot = await self._database.open_snapshot(caller.store_id)
        try:
            async with self._lanes.of(request, is_long=True):
                counted = await snapshot.read_page(replace(query, limit=0), 0)
                last_id = await snapshot.find_last_id(query)
        except BaseException:
            await snapshot.close()
            raise
        has_many = min(counted.total, query.limit or counted.total) > _PAGE_SIZE
        coding = choose_coding(request.headers.get(b"accept-encoding")) if has_many else None
        key = (caller.store_id, snapshot.revision, form.key + request.query)
        headers = form.content_type + make_headers(*key, coding) + _TOTAL % counted.total
        if last_id is not None:
            headers += _make_link(query, last_id)
        if request.method == "HEAD":
            await snapshot.close()
            return make_response(200, headers)
        parts = self._read_parts(request, snapshot, query, form)
        if coding is not None:
            parts = compress(parts, coding, partial(self._lanes.of, request))
        if not has_many:
            parts = self._keep(parts, key, headers)
        head = make_response(200, headers).head
        return Stream(head, parts, partial(self._close, snapshot, caller))

    async def _keep(
        self, parts: AsyncIterator[bytes], key: Key, headers: HeaderLines
    ) -> AsyncIterator[bytes]:
        """Cache the parts, unless they are too long."""
        kept, size = list[bytes](), 0
        async for part in parts:
            size += len(part)
            if size <= _MAX_KEPT:
                kept.append(part)
            yield part
        if size <= _MAX_KEPT:
            self._cache.put(key, make_response(200, headers, b"".join(kept)))

    async def _read_parts(
        self, request: Request, snapshot: Snapshot, query: PlantQuery, form: Form
    ) -> AsyncIterator[bytes]:
        """The list, in parts that are not empty."""
        task = asyncio.current_task()
        if task is not None:  # a stream is sent by a task
            snapshot.watch(task.cancel)
        before, more = form.opening, True
        query = replace(query, with_total=False)
        while more:
            async with await self._take_turn(request, query, is_long=True):
                page = await snapshot.read_page(query, _PAGE_SIZE)
            part = before + await self._write(page, request, query, form)
            left = None if query.limit is None else query.limit - page.count
            more = page.more and left != 0
            if part := part if more else part + form.closing:
                yield part
            before = form.between
            query = replace(query, first_id=page.last_id + 1, limit=left) if more else query

    async def _take_turn(
        self, request: Request, query: PlantQuery, *, is_long: bool = False
    ) -> AbstractAsyncContextManager[None]:
        """Take a turn to read a page; long pages of a user are read one by one."""
        count = _PAGE_SIZE if query.limit is None else min(query.limit, _PAGE_SIZE)
        is_long = is_long or count > self._database.long_page or bool(query.tags)
        await self._turns.take(request.turns_of, ROUTED)
        request.require_client()
        return self._lanes.of(request) if is_long else nullcontext()

    async def _write(self, page: Page, request: Request, query: PlantQuery, form: Form) -> bytes:
        """Write the plants of a page in this form."""
        if form.copy is not None and query.included <= _BY_DATABASE:
            return form.copy(page.plants)
        plants, parts = split_plants(page.plants), []
        for start in range(0, len(plants), _WRITTEN_AT_A_TURN):
            some = plants[start : start + _WRITTEN_AT_A_TURN]
            await self._turns.take(request.turns_of, _COST + sum(map(len, some)) // _BYTES_WRITTEN)
            began = time.perf_counter()
            parts.append(form.write(read_rows(some), query.included))
            self._turns.charge_time(request.turns_of, _TIMES * (time.perf_counter() - began))
        return form.between.join(parts)

    async def _close(self, snapshot: Snapshot, caller: Caller) -> None:
        try:
            await snapshot.close()
        finally:
            self._slots.release(caller.token_store_id)


def find_unmodified(request: Request, caller: Caller, key: bytes) -> Response | None:
    """304, if the client has the list already."""
    known = request.headers.get(b"if-none-match")
    if known is not None:
        # The client's copy must be in a coding that this request accepts.
        for coding in (None, choose_coding(request.headers.get(b"accept-encoding"))):
            etag = _make_etag(caller.store_id, caller.revision, key, coding)
            if is_current(etag, known):
                headers = header_line("ETag", etag) + _CACHING + revision_line(caller.revision)
                return make_response(304, headers)
    return None


def make_headers(
    store_id: int, revision: int, key: bytes, coding: bytes | None = None
) -> HeaderLines:
    """The headers that all responses with this cache key share."""
    etag = _make_etag(store_id, revision, key, coding)
    headers = header_line("ETag", etag) + _CACHING + revision_line(revision)
    return headers if coding is None else headers + header_line("Content-Encoding", coding)


def _make_etag(store_id: int, revision: int, key: bytes, coding: bytes | None = None) -> bytes:
    etag = b"%x-%x-%x" % (store_id, revision, zlib.crc32(key))
    if coding is None:
        return b'"%s"' % etag
    return b'W/"%s-%s"' % (etag, coding)  # weak: two compressors may differ in their bytes


def _make_link(query: PlantQuery, last_id: int) -> HeaderLines:
    """A query-only reference, which works under any path."""
    parameters = write_plant_query(replace(query, first_id=last_id + 1))
    return header_line("Link", f'<?{parameters}>; rel="next"'.encode())
