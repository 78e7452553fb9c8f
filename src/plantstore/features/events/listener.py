"""A client that listens to a store's events, and the feed that clients share.

Invariant: a listener gets each event after its revision once and in order; if an event is no longer
available, the stream ends. An event is read once for all listeners with the same rights.
"""

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import suppress

from plantstore.core.database import Database
from plantstore.core.errors import PlantStoreError
from plantstore.core.fair_queue import ROUTED, FairQueue
from plantstore.core.model import Caller, Role, Scope
from plantstore.features.events.reading import EventPage, Form, read_page

_PAGE_SIZE = 25  # events sent at a time; they stay in memory while a client does not read
_MAX_PAGES = 16  # per store, kept for other listeners
_HEARTBEAT_SECONDS = 15.0
_RETRY_MS = 1000, 3000  # after a restart, clients reconnect at different times

Access = tuple[int, bytes, int]  # a token's store and hash, and the store that is read


class Feed:
    """The events of one store, for all its listeners here; ``revision`` is the newest known.

    ``pages`` are cached: clear them to reread them.
    """

    def __init__(self, database: Database, turns: FairQueue, store_id: int, revision: int) -> None:
        self.turns = turns
        self._database = database
        self._store_id = store_id
        self.pages: dict[tuple[int, Form, bool], asyncio.Future[EventPage | None]] = {}
        self.revision = revision
        self.listeners: set[Listener] = set()

    def advance(self, revision: int) -> None:
        """Set the store's revision; if it decreased, the history is another."""
        if revision < self.revision:
            for listener in self.listeners:
                listener.end()
        self.revision = max(self.revision, revision)

    async def read(self, after: int, form: Form, *, for_owner: bool) -> EventPage | None:
        """The next events, by one query for all who request them."""
        page = self.pages.get((after, form, for_owner))
        if page is None:
            if len(self.pages) >= _MAX_PAGES:
                self.pages.clear()
            source = (self._database, self._store_id, after, _PAGE_SIZE, form)
            page = asyncio.ensure_future(read_page(*source, for_owner=for_owner))
            self.pages[after, form, for_owner] = page
        return await asyncio.shield(page)  # the first request may be cancelled while others wait


class Listener:
    """A client that has the feed's events up to ``after``, with its caller's permissions.

    Events are written in its ``form``. When ``woken``, it checks for something to send.
    """

    def __init__(self, caller: Caller, feed: Feed, after: int, form: Form) -> None:
        self._loop = asyncio.get_running_loop()
        self._sent_at = self._loop.time()
        self._is_over = False
        self.woken = asyncio.Event()
        self.caller = caller
        self.feed = feed
        self.after = after
        self._form = form

    @property
    def access(self) -> Access:
        """What the listener's access depends on."""
        return self.caller.token_store_id, self.caller.token_hash, self.caller.store_id

    @property
    def is_due(self) -> bool:
        """Whether an event or a heartbeat is due."""
        return self.after < self.feed.revision or self._is_quiet

    @property
    def _is_quiet(self) -> bool:
        return self._loop.time() - self._sent_at >= _HEARTBEAT_SECONDS

    def end(self) -> None:
        """End the stream after the current part."""
        self._is_over = True
        self.woken.set()

    def update_access(self, caller: Caller | None) -> None:
        """Set what the caller may see from now on, and the store's revision."""
        if caller is None or Scope.LIST not in caller.permissions:
            self.end()
        else:
            self.caller = caller
            self.feed.advance(caller.revision)

    async def read_parts(self) -> AsyncIterator[bytes]:
        """The parts for the client. Events that were sent before a timeout are not sent again."""
        yield b"retry: %d\nid: %d\n\n" % (random.randint(*_RETRY_MS), self.after)  # noqa: S311 - no secret
        while not self._is_over:
            self.woken.clear()
            part = await self._read_part()
            if part and not self._is_over:
                self._sent_at = self._loop.time()
                yield part
            else:
                await self.woken.wait()

    async def _read_part(self) -> bytes:
        """The next events, or a heartbeat, or nothing."""
        with suppress(PlantStoreError):  # retried when it is woken
            if self.after < self.feed.revision:
                await self.feed.turns.take(self.caller.principal, ROUTED)
                is_owner = self.caller.role is Role.OWNER
                page = await self.feed.read(self.after, self._form, for_owner=is_owner)
                if page is not None and page.after == self.after < page.last:
                    self.after = page.last
                    return page.events
                self.end()
        return b":\n\n" if self._is_quiet else b""
