"""One client that listens to a store's events, and the feed that it shares with the others.

Invariant: a listener gets each event after the revision that it named, once and in order; where
one is not there any more, its stream ends. An event is read once for all who see the same of it.
"""

import asyncio
import random
from collections.abc import AsyncIterator

from plantstore.core.database import Database
from plantstore.core.errors import PlantStoreError
from plantstore.core.model import Caller, Role, Scope
from plantstore.features.events.reading import STREAM, EventPage, read_page

_PAGE_SIZE = 100  # events that are sent at a time
_MAX_PAGES = 16  # of a store, kept for others who ask
_HEARTBEAT_SECONDS = 15.0
_HEARTBEAT = b":\n\n"
_RETRY_MS = 1000, 3000  # after a restart, clients come back at different times

Access = tuple[int, bytes, int]  # a token, by its store and hash, and the store it is used for


class Feed:
    """The events of one store, for all who listen to it here; ``revision`` is the newest known."""

    def __init__(self, database: Database, store_id: int, revision: int) -> None:
        self._database = database
        self._store_id = store_id
        self._pages: dict[tuple[int, bool], asyncio.Future[EventPage | None]] = {}
        self.revision = revision
        self.listeners: set[Listener] = set()

    def advance(self, revision: int) -> None:
        """Note the store's revision; where it went back, its history is another one."""
        if revision < self.revision:
            for listener in self.listeners:
                listener.end()
        self.revision = max(self.revision, revision)

    def forget(self) -> None:
        """Forget what was read: whoever has not asked for it reads it again."""
        self._pages.clear()

    async def read(self, after: int, *, for_owner: bool) -> EventPage | None:
        """The next events; None where they are not there any more. One query for all who ask."""
        page = self._pages.get((after, for_owner))
        if page is None:
            if len(self._pages) >= _MAX_PAGES:
                self._pages.clear()
            page = asyncio.ensure_future(self._read(after, for_owner=for_owner))
            self._pages[after, for_owner] = page
        # The one who asked first may go, the others still wait.
        return page.result() if page.done() else await asyncio.shield(page)

    async def _read(self, after: int, *, for_owner: bool) -> EventPage | None:
        source = (self._database, self._store_id)
        page = await read_page(*source, after, _PAGE_SIZE, STREAM, for_owner=for_owner)
        return page if page and page.after == after < page.last else None


class Listener:
    """One client: it has the events of the feed up to ``after``, and may see what a caller may."""

    def __init__(self, caller: Caller, feed: Feed, after: int) -> None:
        self._loop = asyncio.get_running_loop()
        self._woken = asyncio.Event()
        self.caller = caller
        self.feed = feed
        self.after = after
        self.sent_at = self._loop.time()
        self.is_over = False

    @property
    def access(self) -> Access:
        """What its place depends on."""
        return self.caller.token_store_id, self.caller.token_hash, self.caller.store_id

    def wake(self) -> None:
        """Have it look for something to send."""
        self._woken.set()

    def end(self) -> None:
        """End its stream, after what is being sent."""
        self.is_over = True
        self.wake()

    def note(self, caller: Caller | None) -> None:
        """Note what the caller may see now."""
        if caller is None or Scope.LIST not in caller.permissions:
            self.end()
        else:
            self.caller = caller

    def is_due(self, time: float) -> bool:
        """Whether there is something to send, by the loop's time."""
        return self.after < self.feed.revision or self._is_quiet(time)

    def _is_quiet(self, time: float) -> bool:
        return time - self.sent_at >= _HEARTBEAT_SECONDS

    async def read_parts(self) -> AsyncIterator[bytes]:
        """What its client is sent. Events that were sent before a time out are not sent again."""
        yield b"retry: %d\nid: %d\n\n" % (random.randint(*_RETRY_MS), self.after)  # noqa: S311 - no secret
        while not self.is_over:
            part = await self._read_part()
            if part and not self.is_over:
                self.sent_at = self._loop.time()
                yield part
            elif not self.is_over:
                self._woken.clear()
                await self._woken.wait()

    async def _read_part(self) -> bytes:
        """The next events, or a heartbeat, or nothing."""
        if self.after < self.feed.revision:
            try:
                is_owner = self.caller.role is Role.OWNER
                page = await self.feed.read(self.after, for_owner=is_owner)
            except PlantStoreError:  # tried again at each tick
                return _HEARTBEAT if self._is_quiet(self._loop.time()) else b""
            if page is None:
                self.end()
                return b""
            self.after = page.last
            return page.events
        return _HEARTBEAT if self._is_quiet(self._loop.time()) else b""
