"""Who listens to the events of stores, and what wakes them: a commit, or a tick.

Invariant: who may not list a store any more gets none of its events a second later, and no
heartbeat unless the database does not respond. All listeners of a process share one timer, and one
query for what has changed.
"""

import asyncio
import logging
from collections.abc import Iterator
from contextlib import suppress
from itertools import chain

from plantstore.core.clock import now
from plantstore.core.database import Database
from plantstore.core.errors import NoSuchStoreError, PlantStoreError, RequestError
from plantstore.core.model import Caller, IsFresh, Role, never_fresh
from plantstore.core.pools import Pool
from plantstore.features.events.listener import Access, Feed, Listener
from plantstore.features.events.reading import NO_EVENTS, EventPage, Form, read_page

logger = logging.getLogger(__name__)

_TICK_SECONDS = 0.5
_ACCESS_SECONDS = 1.0  # between two checks of what the listeners may see
_COMMITS_SECONDS = 0.05  # between two looks at the commits of this process
_MAX_IN_A_ROW = 64  # listeners that are woken before the loop runs other tasks


class Listeners:
    """All listeners of a process, who share the ``places``. Make it on the event loop."""

    def __init__(self, database: Database, places: Pool) -> None:
        self._database = database
        self._loop = asyncio.get_running_loop()
        self._places = places
        self._feeds: dict[int, Feed] = {}  # of the stores that are listened to
        self._has_committed = asyncio.Event()
        self._unchanged: IsFresh = never_fresh  # since the last check of access
        self._access_at = 0.0
        self._task: asyncio.Task[None] | None = None

    @property
    def count(self) -> int:
        """How many listen."""
        return sum(len(feed.listeners) for feed in self._feeds.values())

    async def add(self, caller: Caller, after: int | None) -> Listener:
        """Listen to the caller's store, from now on or to what follows a revision.

        :raises RequestError: what follows it is not there any more, or it is not the store's.
        :raises OverloadedError: there is no place.
        """
        await self._places.wait_and_take(caller.token_store_id)
        try:
            page = await require_page(self._database, caller, after, 0, NO_EVENTS)
        except BaseException:
            self._places.give_back(caller.token_store_id)
            raise
        feed = Feed(self._database, caller.store_id, page.revision)
        feed = self._feeds.setdefault(caller.store_id, feed)
        begin = page.revision if after is None else max(after, page.trimmed)
        listener = Listener(caller, feed, begin)
        feed.listeners.add(listener)
        self._access_at, self._unchanged = 0.0, never_fresh  # its own may have changed meanwhile
        if self._task is None:
            self._task = self._loop.create_task(self._run())
        return listener

    async def remove(self, listener: Listener) -> None:
        """Stop listening."""
        listeners = listener.feed.listeners
        if listener in listeners:
            listeners.remove(listener)
            if not listeners:
                del self._feeds[listener.caller.store_id]
            self._places.give_back(listener.caller.token_store_id)

    async def close(self) -> None:
        """End all."""
        if self._task is not None:
            self._task.cancel()

    async def _run(self) -> None:
        """Wake the listeners until there are none."""
        self._database.commit_observers.append(self._note_commit)
        try:
            while self._feeds:
                await self._wait()
                check = self._loop.create_task(self._check())
                try:
                    while not check.done():  # the database may hang: heartbeats go on
                        await asyncio.wait([check], timeout=_TICK_SECONDS)
                        await self._wake()
                    await check
                finally:
                    check.cancel()
        except Exception:
            logger.exception("listening failed")
        finally:
            self._database.commit_observers.remove(self._note_commit)
            self._task = None
            for listener in self._find_all():
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
        one_of_each = (next(iter(feed.listeners)) for feed in self._feeds.values())
        chosen = self._find_all() if is_full else one_of_each
        asked = {listener.access: listener for listener in chosen}
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

    def _find_all(self) -> Iterator[Listener]:
        return chain.from_iterable(feed.listeners for feed in self._feeds.values())

    def _note_access(self, found: dict[Access, Caller | None]) -> None:
        for listener in self._find_all():
            if listener.access in found:  # else it has just been added
                listener.note(found[listener.access])
        if self._access_at:  # nobody was added
            self._unchanged = next((one.unchanged for one in found.values() if one), never_fresh)

    async def _wake(self) -> None:
        """Wake those that have something to send, and end those whose token has expired."""
        time, date, woken = self._loop.time(), now(), 0
        for listener in tuple(self._find_all()):
            expires_at = listener.caller.expires_at
            if expires_at is not None and expires_at <= date:
                listener.end()
            elif listener.is_due(time):
                listener.wake()
                woken += 1
                if not woken % _MAX_IN_A_ROW:
                    await asyncio.sleep(0)


async def require_page(
    database: Database, caller: Caller, after: int | None, max_events: int, form: Form
) -> EventPage:
    """Up to so many events that follow a revision, or the first ones, as the caller may see them.

    0 is before the first event of any store: where a client begins that has nothing yet.

    :raises NoSuchStoreError: there is no such store.
    :raises RequestError: what follows the revision is trimmed, or it is of another history, as far
        as a revision tells that the store has not reached.
    """
    selected = (caller.store_id, after or 0, max_events)
    page = await read_page(database, *selected, form, for_owner=caller.role is Role.OWNER)
    if page is None:
        raise NoSuchStoreError
    is_first = after == 0 and page.is_whole
    if after is not None and not is_first and not page.trimmed <= after <= page.revision:
        raise RequestError(41001, after=after)
    return page
