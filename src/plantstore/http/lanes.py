"""Lanes, for work too long for a round of the fair queue: each runs one piece at a time."""

import asyncio
from collections.abc import AsyncIterator, Callable, Hashable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from weakref import WeakValueDictionary

from plantstore.core.fair_queue import FairQueue, Key, RoundRobin, grant
from plantstore.server.messages import Request

_SHARE = 3 / 4  # of the time, for the lanes of all stores or users
_CREDIT_SECONDS = 0.5


class Lane:
    """Runs one piece of work at a time: next is the waiting key whose work took the least time.

    With several ``processes`` or active users, it pauses after each piece, so that all ``busy``
    lanes together run a ``share`` of the time. After a rest, it catches up on ``credit`` seconds.
    """

    def __init__(
        self,
        turns: FairQueue,
        processes: int = 1,
        share: float = _SHARE,
        credit: float = 0.0,
        busy: "set[Lane] | None" = None,
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._turns, self._processes, self._share = turns, processes, share
        self._credit, self._until = credit, 0.0  # until when its work is paid for by pauses
        self._busy = set[Lane]() if busy is None else busy
        self._is_taken = False
        self._waiting = RoundRobin[asyncio.Future[None]]()
        self._used: dict[Hashable, float] = {}  # seconds, while others wait
        self._least = 0.0  # seconds that a new key begins with, so that it makes up for nothing

    @asynccontextmanager
    async def of(
        self, key: Hashable, measure: Callable[[], float] | None = None
    ) -> AsyncIterator[None]:
        """Run work in the lane; ``measure`` gives the seconds of work that may wait for others'.

        It begins when the lane is free and it is the key's turn.
        """
        await self._enter(key)
        began = self._loop.time()
        try:
            yield
        finally:
            seconds = self._loop.time() - began if measure is None else measure()
            self._used[key] += seconds
            if self._processes > 1 or self._turns.users.are_several:
                since = max(self._until, self._loop.time() - seconds - self._credit)
                self._until = since + self._processes * len(self._busy) / self._share * seconds
            self._loop.call_at(self._until, self._pass_on)

    async def _enter(self, key: Hashable) -> None:
        self._used[key] = max(self._used.get(key, 0.0), self._least)
        if self._is_taken:
            turn = self._loop.create_future()
            self._waiting.put(key, turn)
            try:
                await turn
            except asyncio.CancelledError:
                if turn.done() and not turn.cancelled():
                    self._pass_on()
                raise
        self._is_taken, self._least = True, self._used[key]
        self._busy.add(self)

    def _pass_on(self) -> None:
        while self._waiting.keys:
            key = min(self._waiting.keys, key=self._used.__getitem__)
            if grant(self._waiting.pop(key)):
                return
        self._is_taken, self._least = False, 0.0
        self._used.clear()
        self._busy.discard(self)
        self._loop.call_at(self._until + self._credit, id, self)  # the loop keeps it till then


class Lanes:
    """A lane for each user while several are active; for each store while several stores are."""

    def __init__(self, turns: FairQueue) -> None:
        self.turns = turns
        self._lanes: WeakValueDictionary[Hashable, Lane] = WeakValueDictionary()
        self._busy = set[Lane]()

    @asynccontextmanager
    async def of(self, request: Request, *, is_long: bool = False) -> AsyncIterator[None]:
        """Run the read of a request in its lane; long work has one even alone.

        :raises ClientGoneError: its client has gone meanwhile.
        """
        if is_long or self.turns.users.are_several:
            async with self.enter(request.turns_of, is_long=is_long):
                request.require_client()
                yield
        else:
            request.require_client()
            yield

    def enter(self, principal: Key, *, is_long: bool) -> AbstractAsyncContextManager[None]:
        """Run work in the lane of the user, or of its store: other services share long work."""
        is_of_store = is_long or self.turns.stores.are_several
        key, busy = (principal[0], self._busy) if is_of_store else (principal, None)
        lane = Lane(self.turns, credit=_CREDIT_SECONDS, busy=busy)
        return self._lanes.setdefault(key, lane).of(principal)
