"""Who listens to the events of stores, and what wakes them: a commit, or a tick.

Invariant: who may not list a store any more gets none of its events a second later, and no
heartbeat. All listeners of a process share one timer, and one query for what has changed.
"""

import asyncio
import logging
from collections.abc import Iterable
from contextlib import suppress

from plantstore.clock import now
from plantstore.database import Database
from plantstore.errors import NoSuchStoreError, PlantStoreError, RequestError
from plantstore.http.listener import Access, Feed, Listener
from plantstore.http.streams import StreamPlaces
from plantstore.model import Caller, EventPage, Unchanged, cannot_tell

logger = logging.getLogger(__name__)

_TICK_SECONDS = 0.5
_ACCESS_SECONDS = 1.0  # between two checks of what the listeners may see
_COMMITS_SECONDS = 0.05  # between two looks at the commits of this process
_MAX_IN_A_ROW = 64  # listeners that are woken before the loop runs other tasks


class Listeners:
    """All listeners of a process, at most ``max_listeners``. Make it on the event loop."""

    def __init__(self, database: Database, max_listeners: int) -> None:
        self._database = database
        self._loop = asyncio.get_running_loop()
        self._places = StreamPlaces(max_listeners)
        self._listeners: dict[Listener, None] = {}  # in the order of their arrival
        self._feeds: dict[int, Feed] = {}
        self._has_committed = asyncio.Event()
        self._unchanged: Unchanged = cannot_tell  # since the last check of access
        self._access_at = 0.0
        self._task: asyncio.Task[None] | None = None

    @property
    def count(self) -> int:
        """How many listen."""
        return len(self._listeners)

    async def add(self, caller: Caller, after: int | None) -> Listener:
        """Listen to the caller's store, from now on or to what follows a revision.

        :raises RequestError: what follows it is not there any more, or it is not the store's.
        :raises OverloadedError: there is no place.
        """
        await self._places.acquire(caller)
        try:
            listener = self._make(caller, after, await self._read_page(caller, after))
        except BaseException:
            self._places.release(caller)
            raise
        self._listeners[listener] = None
        listener.feed.listeners.add(listener)
        self._access_at, self._unchanged = 0.0, cannot_tell  # its own may have changed meanwhile
        if self._task is None:
            self._task = self._loop.create_task(self._run())
        return listener

    async def remove(self, listener: Listener) -> None:
        """Stop listening."""
        if listener in self._listeners:
            del self._listeners[listener]
            listener.feed.listeners.remove(listener)
            if not listener.feed.listeners:
                del self._feeds[listener.caller.store_id]
            self._places.release(listener.caller)

    def close(self) -> None:
        """End all."""
        if self._task is not None:
            self._task.cancel()

    async def _read_page(self, caller: Caller, after: int | None) -> EventPage:
        page = await self._database.read_events(caller.store_id, after or 0, 0)
        if page is None:
            raise NoSuchStoreError
        return page

    def _make(self, caller: Caller, after: int | None, page: EventPage) -> Listener:
        after = page.revision if after is None else after
        require_events(page, after)
        feed = self._feeds.get(caller.store_id)
        if feed is None:
            feed = Feed(self._database, caller.store_id, page.revision)
            self._feeds[caller.store_id] = feed
        return Listener(caller, feed, after)

    async def _run(self) -> None:
        """Wake the listeners until there are none."""
        self._database.commit_observers.append(self._note_commit)
        try:
            while self._listeners:
                await self._wait()
                await self._check()
                await self._wake()
        except Exception:
            logger.exception("listening failed")
        finally:
            self._database.commit_observers.remove(self._note_commit)
            self._task = None
            for listener in self._listeners:
                listener.end()

    def _note_commit(self, _writes: int, _seconds: float) -> None:
        self._has_committed.set()

    async def _wait(self) -> None:
        """Wait for a commit of this process, at most a tick."""
        await asyncio.sleep(_COMMITS_SECONDS)
        with suppress(TimeoutError):
            async with asyncio.timeout(_TICK_SECONDS - _COMMITS_SECONDS):
                await self._has_committed.wait()
        self._has_committed.clear()

    async def _check(self) -> None:
        """Find the stores' revisions, and at times what each listener may see."""
        for feed in self._feeds.values():
            feed.forget()
        if self._unchanged():
            return
        is_full = self._loop.time() >= self._access_at
        if is_full:
            self._access_at = self._loop.time() + _ACCESS_SECONDS
        asked = {listener.access: listener for listener in self._choose(all_of_them=is_full)}
        callers = [listener.caller for listener in asked.values()]
        try:
            found = await self._database.find_callers_again(callers)
        except PlantStoreError:  # the database logs it; until it works, nothing is sent
            self._access_at = 0.0
            return
        for listener, caller in zip(asked.values(), found, strict=True):
            if caller is not None:
                listener.feed.advance(caller.revision)
        if is_full:
            self._note_access(dict(zip(asked, found, strict=True)))

    def _choose(self, *, all_of_them: bool) -> Iterable[Listener]:
        """The listeners to ask about: all, or one of each store."""
        if all_of_them:
            return self._listeners
        return [next(iter(feed.listeners)) for feed in self._feeds.values()]

    def _note_access(self, found: dict[Access, Caller | None]) -> None:
        for listener in self._listeners:
            if listener.access in found:  # else it has just been added
                listener.note(found[listener.access])
        if self._access_at:  # nobody was added
            self._unchanged = next((one.unchanged for one in found.values() if one), cannot_tell)

    async def _wake(self) -> None:
        """Wake those that have something to send, and end those whose token has expired."""
        time, date, woken = self._loop.time(), now(), 0
        for listener in tuple(self._listeners):
            expires_at = listener.caller.expires_at
            if expires_at is not None and expires_at <= date:
                listener.end()
            elif listener.is_due(time) and listener.wake():
                woken += 1
                if not woken % _MAX_IN_A_ROW:
                    await asyncio.sleep(0)


def require_events(page: EventPage, after: int) -> None:
    """Refuse what follows a revision where it is trimmed, or is of another history.

    :raises RequestError: it is, as far as a revision tells that the store has not reached.
    """
    if not page.trimmed <= after <= page.revision:
        raise RequestError(41001, after=after)
