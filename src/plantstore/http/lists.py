"""Answers lists: from a ready page, from one read of the database, or as a stream.

Invariant: what is sent is the store at one revision, and never silently cut: where the limit
leaves plants out, a Link leads on to them.
"""

import zlib
from collections.abc import AsyncIterator

from msgspec.structs import replace

from plantstore.database import Database, Snapshot
from plantstore.http.answers import JSON, NO_STORE, Answer, Headers, Stream, is_current
from plantstore.http.pages import ReadyPages
from plantstore.http.parameters import PlantsPath, read_plant_query, write_plant_query
from plantstore.http.proved import ProvedAnswers
from plantstore.http.request import Request
from plantstore.model import Caller, PlantQuery

# Read in one piece, in well under a millisecond; longer lists are streamed in pieces of this size.
_PAGE_MOST = 1000


class PlantLists:
    """The lists of all stores; half of ``cache_size`` bytes for each of two memories of answers."""

    def __init__(self, database: Database, cache_size: int) -> None:
        self._database = database
        self._ready = ReadyPages(cache_size // 2)
        self._proved = ProvedAnswers(database, cache_size // 2)

    def find_proved(self, request: Request) -> Answer | None:
        """The answer to a request that was answered before, if nothing has changed since."""
        return self._proved.find(request)

    async def answer(self, request: Request, path: PlantsPath, caller: Caller) -> Answer | Stream:
        """The list that the request asks for, or that it is as the client has it."""
        query = read_plant_query(request.query)
        known = request.headers.get(b"if-none-match")
        if known is not None:
            etag = _make_etag(caller.store_id, caller.revision, request)
            if is_current(etag, known):
                unchanged = Answer(304, [(b"etag", etag), NO_STORE])
                self._proved.keep(request, caller, unchanged)
                return unchanged
        ready = self._ready.get((caller.store_id, caller.revision, path.store_name, request.query))
        if ready is not None:
            self._proved.keep(request, caller, ready)
            return ready
        return await self._read(request, path, caller.store_id, query)

    async def _read(
        self, request: Request, path: PlantsPath, store_id: int, query: PlantQuery
    ) -> Answer | Stream:
        page = await self._database.read_page(store_id, query, _PAGE_MOST)
        if page.more and (query.limit is None or query.limit > _PAGE_MOST):
            snapshot = await self._database.open_snapshot(store_id)
            return await self._stream(request, path, store_id, query, snapshot)
        headers = _make_headers(store_id, page.revision, request)
        if page.more:
            headers.append(_make_link(path, query, page.last_id))
        body = b"[%s]" % page.plants
        headers.append((b"content-length", b"%d" % len(body)))
        answer = Answer(200, headers, body)
        self._ready.put((store_id, page.revision, path.store_name, request.query), answer)
        return answer

    async def _stream(
        self,
        request: Request,
        path: PlantsPath,
        store_id: int,
        query: PlantQuery,
        snapshot: Snapshot,
    ) -> Answer | Stream:
        try:
            headers = _make_headers(store_id, snapshot.revision, request)
            last_id = await snapshot.find_last_id(query)
        except BaseException:
            await snapshot.close()
            raise
        if last_id is not None:
            headers.append(_make_link(path, query, last_id))
        if request.method == "HEAD":
            await snapshot.close()
            return Answer(200, headers)
        return Stream(headers, _read_parts(snapshot, query), snapshot.close)


async def _read_parts(snapshot: Snapshot, query: PlantQuery) -> AsyncIterator[bytes]:
    opening = b"["
    more = True
    while more:
        page = await snapshot.read_page(query, _PAGE_MOST)
        yield opening + page.plants
        opening = b","
        left = None if query.limit is None else query.limit - page.count
        more = page.more and left != 0
        query = replace(query, first_id=page.last_id + 1, limit=left) if more else query
    yield b"]"


def _make_headers(store_id: int, revision: int, request: Request) -> Headers:
    return [JSON, (b"etag", _make_etag(store_id, revision, request)), NO_STORE]


def _make_etag(store_id: int, revision: int, request: Request) -> bytes:
    return b'"%x-%x-%x"' % (store_id, revision, zlib.crc32(request.query))


def _make_link(path: PlantsPath, query: PlantQuery, last_id: int) -> tuple[bytes, bytes]:
    store = "" if path.store_name is None else f"/stores/{path.store_name}"
    parameters = write_plant_query(replace(query, first_id=last_id + 1))
    return (b"link", f'<{store}/plants?{parameters}>; rel="next"'.encode())
