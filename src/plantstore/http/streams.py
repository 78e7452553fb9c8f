"""Places for long lists: how many are streamed at a time, and how they are shared.

Invariant: no user has more than a quarter of the places, and no store more than a half, so that
slow readers leave places to others.
"""

import asyncio
from collections import Counter

from plantstore.errors import OverloadedError
from plantstore.model import Caller, Principal

_WAIT_SECONDS = 1.0


class StreamPlaces:
    """``count`` places. Make it on the event loop."""

    def __init__(self, count: int) -> None:
        self._loop = asyncio.get_running_loop()
        self._max, self._taken = count, 0
        self._max_of_user, self._max_of_store = max(1, count // 4), max(1, count // 2)
        self._users: Counter[Principal] = Counter()
        self._stores: Counter[int] = Counter()
        self._waiting: dict[asyncio.Future[None], Caller] = {}

    async def acquire(self, caller: Caller) -> None:
        """Take a place for a list of the caller's store, and wait a little for it.

        :raises OverloadedError: none became free.
        """
        if self._try_take(caller):
            return
        place = self._loop.create_future()
        self._waiting[place] = caller
        timer = self._loop.call_later(_WAIT_SECONDS, self._refuse, place)
        await place
        timer.cancel()

    def release(self, caller: Caller) -> None:
        """Give the place back, to the first of those waiting that may have it."""
        self._count(caller, -1)
        for place, waiting in self._waiting.items():
            if self._try_take(waiting):
                del self._waiting[place]
                place.set_result(None)
                return

    def _try_take(self, caller: Caller) -> bool:
        has_room = (
            self._taken < self._max
            and self._users[caller.principal] < self._max_of_user
            and self._stores[caller.store_id] < self._max_of_store
        )
        if has_room:
            self._count(caller, 1)
        return has_room

    def _count(self, caller: Caller, change: int) -> None:
        self._taken += change
        self._users[caller.principal] += change
        self._stores[caller.store_id] += change
        if not self._taken:
            self._users.clear()
            self._stores.clear()

    def _refuse(self, place: "asyncio.Future[None]") -> None:
        if self._waiting.pop(place, None) is not None:
            place.set_exception(OverloadedError())
