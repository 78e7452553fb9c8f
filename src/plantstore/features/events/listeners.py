"""Clients that listen to stores' events. A commit of their store or a tick wakes them.

Invariants: a listener gets each event after its revision once and in order; if an event is no
longer available, the stream ends. A second after a listener loses access to a store, it gets no
more events, nor heartbeats unless the database does not respond. A tick's query for changes by
other processes is shared by all listeners; reads of events, by those with the same rights.
"""

import asyncio
import logging
import math
import random
from collections.abc import AsyncIterator, Iterable
from contextlib import suppress

from plantstore.core.clock import now
from plantstore.core.database import Database
from plantstore.core.errors import PlantStoreError
from plantstore.core.fair_queue import BYTES_SENT, ROUTED
from plantstore.core.model import Caller, Role, Scope
from plantstore.core.pools import Pool
from plantstore.features.events.reading import STREAM, EventPage, Form, read_page, require_page
from plantstore.http.lanes import Lanes

logger = logging.getLogger(__name__)

_PAGE_SIZE = 25  # events sent at a time; they stay in memory while a client does not read
_MAX_PAGES = 16  # per store, kept for other listeners
_HEARTBEAT_SECONDS = 15.0
_RETRY_MS = 1000, 3000  # after a restart, clients reconnect at different times
_TICK_SECONDS = 0.5
_ACCESS_SECONDS = 1.0  # between two checks of the listeners' access
_ROUND_SECONDS = 0.05  # between two rounds of a feed, or, if that is more:
_LISTENER_SECONDS = 0.0002  # for each listener, several times as long as it takes to send an event
_MAX_IN_A_ROW = 8  # listeners handled before the loop runs other tasks

Wanted = tuple[int, Form, bool]  # after which revision, in which form, and whether for an owner


class Feed:
    """The events of one store, for all its listeners here.

    ``revision`` is the newest known, and ``earlier`` was before the query in progress began. Few
    get a page at once: each iteration of the loop is short.
    """

    def __init__(self, database: Database, lanes: Lanes, store_id: int, revision: int) -> None:
        self.turns, self._lanes = lanes.turns, lanes
        self._database = database
        self._store_id = store_id
        self.pages: dict[Wanted, EventPage] = {}
        self.revision = self.earlier = revision
        self.listeners: set[Listener] = set()
        self.sending = asyncio.Semaphore(_MAX_IN_A_ROW)

    def advance(self, revision: int) -> None:
        """Set the store's revision; if it decreased, the history is another."""
        if revision < self.earlier:
            for listener in self.listeners:
                listener.end()
        self.revision = max(self.revision, revision)

    async def read(self, listener: "Listener") -> EventPage | None:
        """The next events for a listener, by one query for all who want the same."""
        if listener.wanted not in self.pages:
            async with self._lanes.enter(listener.caller.principal, is_long=True):
                if listener.wanted not in self.pages:
                    await self._read(listener.wanted)
        return self.pages.get(listener.wanted)

    async def _read(self, wanted: Wanted) -> None:
        after, form, is_owner = wanted
        source = (self._database, self._store_id, after, _PAGE_SIZE, form)
        page = await read_page(*source, for_owner=is_owner)
        if len(self.pages) >= _MAX_PAGES:
            self.pages.clear()
        if page is not None:
            self.pages[wanted] = page


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
    def access(self) -> tuple[int, bytes, int]:
        """What the access depends on: the token's store and hash, and the store that is read."""
        return self.caller.token_store_id, self.caller.token_hash, self.caller.store_id

    @property
    def wanted(self) -> Wanted:
        return self.after, self._form, self.caller.role is Role.OWNER

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
            if (part := await self._read_part()) and not self._is_over:
                self._sent_at = self._loop.time()
                yield part
            else:
                await self.woken.wait()

    async def _read_part(self) -> bytes:
        """The next events, or a heartbeat, or nothing."""
        with suppress(PlantStoreError):  # retried when it is woken
            if self.after < self.feed.revision:
                async with self.feed.sending:
                    await self.feed.turns.take(self.caller.principal, ROUTED)
                    page = await self.feed.read(self)
                    await asyncio.sleep(0)  # else all could get a known page at once
                if page is not None and page.after == self.after < page.last:
                    self.feed.turns.charge(self.caller.principal, len(page.events) // BYTES_SENT)
                    self.after = page.last
                    return page.events
                self.end()
        return b":\n\n" if self._is_quiet else b""


class Listeners:
    """All listeners of a process, which share the ``slots``."""

    def __init__(self, database: Database, lanes: Lanes, slots: Pool) -> None:
        self._database = database
        self._lanes = lanes
        self._slots = slots
        self._feeds: dict[int, Feed] = {}  # by store
        self._busy: dict[Feed, asyncio.Task[None]] = {}  # in a round, or its pause
        self._is_checked = True  # or the database does not respond
        self._access_at = 0.0  # the time of the next check

    async def add(self, caller: Caller, after: int | None, form: Form = STREAM) -> Listener:
        """Listen to the caller's store, from now on or from after a revision.

        :raises RequestError: events after the revision are no longer available, or the store has
            not reached it.
        :raises OverloadedError: no slot is free.
        """
        await self._slots.wait_and_acquire(caller.token_store_id)
        try:
            page = await require_page(self._database, caller, after)
        except BaseException:
            self._slots.release(caller.token_store_id)
            raise
        feed = Feed(self._database, self._lanes, caller.store_id, page.revision)
        feed = self._feeds.setdefault(caller.store_id, feed)
        listener = Listener(caller, feed, page.revision if after is None else page.after, form)
        feed.listeners.add(listener)
        self._database.writes.followers[caller.store_id] = lambda it: self._follow(feed, it)
        self._access_at = 0.0  # the caller's access may have changed meanwhile
        return listener

    async def remove(self, listener: Listener) -> None:
        listeners = listener.feed.listeners
        if listener in listeners:
            listeners.remove(listener)
            if not listeners:
                store_id = listener.caller.store_id
                del self._feeds[store_id], self._database.writes.followers[store_id]
            self._slots.release(listener.caller.token_store_id)

    async def run(self) -> None:
        """Wake the listeners, until cancelled."""
        while True:
            await asyncio.sleep(_TICK_SECONDS)
            try:
                async with asyncio.TaskGroup() as group:
                    check = group.create_task(self._check())
                    while not check.done():  # heartbeats continue while the database hangs
                        done, _ = await asyncio.wait([check], timeout=_TICK_SECONDS)
                        self._is_checked = bool(done) and check.result()
                        await self._wake(it for it in self._find_all() if it.feed not in self._busy)
            except Exception:
                logger.exception("listening failed")
                for listener in self._find_all():
                    listener.end()

    def _follow(self, feed: Feed, revision: int) -> None:
        """Note a commit of the feed's store; without recent checks of access, the tick finds it."""
        if self._is_checked and revision > feed.revision:
            feed.revision = revision
            if feed not in self._busy:
                self._busy[feed] = asyncio.create_task(self._run_rounds(feed))

    async def _run_rounds(self, feed: Feed) -> None:
        """Wake the feed's listeners after commits; feeds share the loop's time by their pauses."""
        woken = 0
        try:
            while woken < (woken := feed.revision):
                await self._wake(list(feed.listeners))
                pause = _LISTENER_SECONDS * len(feed.listeners) * len(self._busy)
                await asyncio.sleep(max(_ROUND_SECONDS, min(pause, _TICK_SECONDS)))
        finally:  # after an error, the tick wakes them
            del self._busy[feed]

    async def _check(self) -> bool:
        """Look up the stores' revisions and, once a second, each listener's access, if possible."""
        for feed in self._feeds.values():
            feed.earlier = feed.revision
            feed.pages.clear()
        listeners = self._find_all()
        if all(unchanged() for unchanged in {listener.caller.unchanged for listener in listeners}):
            return True
        if (time := asyncio.get_running_loop().time()) < self._access_at:
            listeners = [next(iter(feed.listeners)) for feed in self._feeds.values()]
        else:
            self._access_at = time + _ACCESS_SECONDS
        asked = {listener.access: listener.caller for listener in listeners}
        try:
            current = await self._database.find_callers_again(list(asked.values()))
        except PlantStoreError:  # logged by the database; no events are sent until it works
            self._access_at = 0.0
            return False
        callers = dict(zip(asked, current, strict=True))
        for listener in self._find_all():
            if listener.access in callers:
                listener.update_access(callers[listener.access])
        return True

    async def _wake(self, listeners: Iterable[Listener]) -> None:
        """Wake listeners that have something to send, and end those whose token has expired."""
        date = now()
        for number, listener in enumerate(listeners, 1):
            if (listener.caller.expires_at or math.inf) <= date:
                listener.end()
            elif listener.is_due:
                listener.woken.set()
            if not number % _MAX_IN_A_ROW:
                await asyncio.sleep(0)

    def _find_all(self) -> list[Listener]:
        return [listener for feed in self._feeds.values() for listener in feed.listeners]
