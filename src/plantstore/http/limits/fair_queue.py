"""A fair queue: while several users are active, none gets more than a quantum in a round.

A round is one iteration of the event loop, with all requests that arrived since the last one. A
user's requests beyond the quantum wait for the next rounds, in their order, so a user who floods
the service delays mostly themselves. A cost beyond the quantum is paid in the next rounds. A user
who is alone never waits.
"""

import asyncio
from collections import deque
from collections.abc import Hashable

CACHED = 1  # the cost of a request that is answered from memory by its bytes: 10 µs
ROUTED = 6  # of any other request; and also:
BYTES_SENT = 4096  # of a response, which cost 1 more
BYTES_READ = 512  # of a body
REFUSED = 18  # is added to that of a request that is refused, which is explained and logged
_QUANTUM = 24
_SHARED_SECONDS = 10.0  # after another user was seen

_Waiting = tuple[int, "asyncio.Future[None]"]


class FairQueue:
    """The turns of the users, or addresses, of a process. Make it on the event loop.

    ``is_shared`` says whether several were active recently.
    """

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._last: Hashable = None  # who was seen
        self.is_shared = False
        self._shared_until = 0.0
        self._spent: dict[Hashable, int] = {}  # in this round
        self._waiting: dict[Hashable, deque[_Waiting]] = {}

    def try_take(self, key: Hashable, cost: int) -> bool:
        """Take a turn if there is one now; returns whether there was."""
        if key != self._last:
            if self._last is not None:
                self._shared_until = self._loop.time() + _SHARED_SECONDS
                if not self.is_shared:
                    self._look_for_others()
            self._last = key
        elif not self.is_shared:
            return True
        spent = self._spent.get(key, 0)
        if spent >= _QUANTUM:  # at least as long as others of the key wait
            return False
        self._spend(key, spent + cost)
        return True

    async def take(self, key: Hashable, cost: int) -> None:
        """Take a turn; wait for it if there is none now."""
        if not self.try_take(key, cost):
            turn = self._loop.create_future()
            self._waiting.setdefault(key, deque()).append((cost, turn))
            await turn

    async def take_of_network(self, network: Hashable) -> None:
        """Take a turn for a request without a known user, such as a health check.

        With only a few in a round, a lone user's requests still need not wait.
        """
        spent = self._spent.get(network, 0)
        if spent < _QUANTUM:
            self._spend(network, spent + ROUTED)
        else:
            await self.take(network, ROUTED)

    def charge(self, key: Hashable, cost: int) -> None:
        """Add to the cost of a request, whose size is known after it was handled."""
        if self.is_shared:
            self._spend(key, self._spent.get(key, 0) + cost)

    def _look_for_others(self) -> None:
        self.is_shared = self._loop.time() < self._shared_until
        if self.is_shared:
            self._loop.call_at(self._shared_until, self._look_for_others)

    def _spend(self, key: Hashable, spent: int) -> None:
        if not self._spent:
            self._loop.call_soon(self._begin_round)
        self._spent[key] = spent

    def _begin_round(self) -> None:
        before, self._spent = self._spent, {}
        for key, cost in before.items():
            if cost > _QUANTUM:
                self._spend(key, cost - _QUANTUM)
        for key, waiting in tuple(self._waiting.items()):
            spent = self._spent.get(key, 0)
            while waiting and spent < _QUANTUM:
                cost, turn = waiting.popleft()
                if not turn.done():  # the service stopped waiting for it
                    turn.set_result(None)
                    spent += cost
            self._spend(key, spent)
            if not waiting:
                del self._waiting[key]
