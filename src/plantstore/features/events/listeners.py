"""The listeners of a process. A commit or a tick wakes them.

Invariant: a second after a listener loses access to a store, it gets no more events, nor heartbeats
unless the database does not respond. All listeners share one timer and one query for changes.
"""

import asyncio
import logging
from contextlib import suppress

from plantstore.core.clock import now
from plantstore.core.database import Database
from plantstore.core.errors import PlantStoreError
from plantstore.core.fair_queue import FairQueue
from plantstore.core.model import Caller
from plantstore.core.pools import Pool
from plantstore.features.events.listener import Feed, Listener
from plantstore.features.events.reading import NO_EVENTS, STREAM, Form, require_page

logger = logging.getLogger(__name__)

_TICK_SECONDS = 0.5
_ACCESS_SECONDS = 1.0  # between two checks of the listeners' access
_COMMITS_SECONDS = 0.05  # between two checks for commits of this process
_MAX_IN_A_ROW = 64  # listeners handled before the loop runs other tasks


class Listeners:
    """All listeners of a process, which share the ``slots``."""

    def __init__(self, database: Database, turns: FairQueue, slots: Pool) -> None:
        self._database = database
        self._turns = turns
        self._slots = slots
        self._feeds: dict[int, Feed] = {}  # by store
        self._has_feeds = asyncio.Event()
        self._has_committed = asyncio.Event()
        self._access_at = 0.0  # the time of the next check

    async def add(self, caller: Caller, after: int | None, form: Form = STREAM) -> Listener:
        """Listen to the caller's store, from now on or from after a revision.

        :raises RequestError: events after the revision are no longer available, or the store has
            not reached it.
        :raises OverloadedError: no slot is free.
        """
        await self._slots.wait_and_acquire(caller.token_store_id)
        try:
            page = await require_page(self._database, caller, after, 0, NO_EVENTS)
        except BaseException:
            self._slots.release(caller.token_store_id)
            raise
        feed = Feed(self._database, self._turns, caller.store_id, page.revision)
        feed = self._feeds.setdefault(caller.store_id, feed)
        begin = page.revision if after is None else page.after
        listener = Listener(caller, feed, begin, form)
        feed.listeners.add(listener)
        self._has_feeds.set()
        self._access_at = 0.0  # the caller's access may have changed meanwhile
        return listener

    async def remove(self, listener: Listener) -> None:
        """Stop listening."""
        listeners = listener.feed.listeners
        if listener in listeners:
            listeners.remove(listener)
            if not listeners:
                del self._feeds[listener.caller.store_id]
            self._slots.release(listener.caller.token_store_id)

    async def run(self) -> None:
        """Wake the listeners, until cancelled."""
        while True:
            await self._wait()
            try:
                async with asyncio.TaskGroup() as group:
                    check = group.create_task(self._check())
                    while not check.done():  # heartbeats continue while the database hangs
                        await asyncio.wait([check], timeout=_TICK_SECONDS)
                        await self._wake()
            except Exception:
                logger.exception("listening failed")
                for listener in self._find_all():
                    listener.end()

    async def _wait(self) -> None:
        """Wait for listeners, then for a commit of this process or a tick."""
        if not self._feeds:
            observers = self._database.commit_observers
            if self._note_commit in observers:
                observers.remove(self._note_commit)
            self._has_feeds.clear()
            await self._has_feeds.wait()
            observers.append(self._note_commit)
        await asyncio.sleep(_COMMITS_SECONDS)
        with suppress(TimeoutError):
            async with asyncio.timeout(_TICK_SECONDS - _COMMITS_SECONDS):
                await self._has_committed.wait()
        self._has_committed.clear()

    def _note_commit(self, _count: int, _seconds: float) -> None:
        self._has_committed.set()

    async def _check(self) -> None:
        """Look up the stores' revisions and, once a second, each listener's access."""
        for feed in self._feeds.values():
            feed.pages.clear()
        listeners = self._find_all()
        if all(unchanged() for unchanged in {listener.caller.unchanged for listener in listeners}):
            return
        time = asyncio.get_running_loop().time()
        if time < self._access_at:
            listeners = [next(iter(feed.listeners)) for feed in self._feeds.values()]
        else:
            self._access_at = time + _ACCESS_SECONDS
        asked = {listener.access: listener.caller for listener in listeners}
        try:
            current = await self._database.find_callers_again(list(asked.values()))
        except PlantStoreError:  # logged by the database; no events are sent until it works
            self._access_at = 0.0
            return
        callers = dict(zip(asked, current, strict=True))
        for listener in self._find_all():
            if listener.access in callers:
                listener.update_access(callers[listener.access])

    async def _wake(self) -> None:
        """Wake listeners that have something to send, and end those whose token has expired."""
        date = now()
        for number, listener in enumerate(self._find_all(), 1):
            expires_at = listener.caller.expires_at
            if expires_at is not None and expires_at <= date:
                listener.end()
            elif listener.is_due:
                listener.woken.set()
            if not number % _MAX_IN_A_ROW:
                await asyncio.sleep(0)

    def _find_all(self) -> list[Listener]:
        return [listener for feed in self._feeds.values() for listener in feed.listeners]
