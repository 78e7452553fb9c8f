"""Lanes, for work too long for a round of the fair queue: each runs one piece at a time."""

import asyncio
from collections.abc import AsyncIterator, Hashable
from contextlib import asynccontextmanager
from weakref import WeakValueDictionary

from plantstore.core.fair_queue import FairQueue, Key, RoundRobin, grant


class Lane:
    """Runs one piece of work at a time; the keys of waiting pieces take turns.

    With several ``processes`` or active users, it pauses: all lanes together run half of the time.
    """

    def __init__(self, turns: FairQueue, processes: int = 1) -> None:
        self._loop = asyncio.get_running_loop()
        self._turns, self._processes = turns, processes
        self._is_taken = False
        self._waiting = RoundRobin[asyncio.Future[None]]()
        self._began = 0.0

    async def enter(self, key: Hashable) -> None:
        """Wait until the lane is free and it is the key's turn."""
        if self._is_taken:
            turn = self._loop.create_future()
            self._waiting.put(key, turn)
            try:
                await turn
            except asyncio.CancelledError:
                if turn.done() and not turn.cancelled():
                    self._pass_on()
                raise
        self._is_taken = True
        self._began = self._loop.time()

    def leave(self) -> None:
        """Let the next piece of work enter."""
        pauses = self._processes > 1 or self._turns.users.are_several
        seconds = (2 * self._processes - 1) * (self._loop.time() - self._began) if pauses else 0.0
        self._loop.call_later(seconds, self._pass_on)

    def _pass_on(self) -> None:
        while self._waiting.keys:
            if grant(self._waiting.pop(next(iter(self._waiting.keys)))):
                return
        self._is_taken = False


class Lanes:
    """A lane for each user while several are active; for each store while several stores are."""

    def __init__(self, turns: FairQueue) -> None:
        self.turns = turns
        self._lanes: WeakValueDictionary[Hashable, Lane] = WeakValueDictionary()

    def find(self, key: Hashable) -> Lane:
        """The lane with this key."""
        return self._lanes.setdefault(key, Lane(self.turns))

    @asynccontextmanager
    async def of(self, principal: Key, *, is_long: bool = False) -> AsyncIterator[None]:
        """Run work in its lane; long work has one even alone: other services share the database."""
        if not (is_long or self.turns.users.are_several):
            yield
            return
        key = principal[0] if is_long or self.turns.stores.are_several else principal
        lane = self.find(key)
        await lane.enter(principal)
        try:
            yield
        finally:
            lane.leave()
