"""Places for long lists: how many are streamed at a time, and how they are shared.

Invariant: no user has more than a quarter of the places, and no store more than a half, so that
slow readers leave places to others.
"""

import asyncio
from collections import Counter
from collections.abc import Hashable, Mapping

from plantstore.errors import OverloadedError
from plantstore.model import Caller

_WAIT_SECONDS = 1.0


class StreamPlaces:
    """``count`` places. Make it on the event loop."""

    def __init__(self, count: int) -> None:
        self._loop = asyncio.get_running_loop()
        self._count = count
        self._taken: Counter[Hashable] = Counter()  # of all, of each user, and of each store
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
        for key in self._limits(caller):
            self._taken[key] -= 1
            if not self._taken[key]:
                del self._taken[key]
        for place, waiting in self._waiting.items():
            if self._try_take(waiting):
                del self._waiting[place]
                place.set_result(None)
                return

    def _try_take(self, caller: Caller) -> bool:
        limits = self._limits(caller)
        has_room = all(self._taken[key] < limit for key, limit in limits.items())
        if has_room:
            self._taken.update(limits.keys())
        return has_room

    def _limits(self, caller: Caller) -> Mapping[Hashable, int]:
        """How many places all may have, and of these the caller's user and store."""
        count = self._count
        return {
            None: count,
            caller.principal: max(1, count // 4),
            caller.store_id: max(1, count // 2),
        }

    def _refuse(self, place: "asyncio.Future[None]") -> None:
        if self._waiting.pop(place, None) is not None:
            place.set_exception(OverloadedError())
