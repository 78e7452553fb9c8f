"""One client that listens to a store's events, and the feed that it shares with the others.

Invariant: a listener gets each event after the revision that it named, once and in order; where
one is not there any more, its stream ends. An event is read and written once for all listeners.
"""

import asyncio
import random
from collections.abc import AsyncIterator

from plantstore.core.database import Database
from plantstore.core.errors import PlantStoreError
from plantstore.core.model import Caller, Role, Scope
from plantstore.features.events.encoding import EncodedEvents
from plantstore.features.events.reading import read_page

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
        self._pages: dict[int, asyncio.Future[EncodedEvents | None]] = {}
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

    async def read(self, after: int) -> EncodedEvents | None:
        """The next events; None where they are not there any more. One query for all who ask."""
        page = self._pages.get(after)
        if page is None:
            if len(self._pages) >= _MAX_PAGES:
                self._pages.clear()
            page = self._pages[after] = asyncio.ensure_future(self._read(after))
        # The one who asked first may go, the others still wait.
        return page.result() if page.done() else await asyncio.shield(page)

    async def _read(self, after: int) -> EncodedEvents | None:
        page = await read_page(self._database, self._store_id, after, _PAGE_SIZE)
        if page is None or not page.events or page.events[0].revision != after + 1:
            return None
        return EncodedEvents(page.events)


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
                events = await self.feed.read(self.after)
            except PlantStoreError:  # tried again at each tick
                return _HEARTBEAT if self._is_quiet(self._loop.time()) else b""
            if events is None:
                self.end()
                return b""
            self.after = events.last
            is_owner = self.caller.role is Role.OWNER
            return events.for_owners if is_owner else events.for_members
        return _HEARTBEAT if self._is_quiet(self._loop.time()) else b""
