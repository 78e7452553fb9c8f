"""A fair queue: while several users are active, each gets at most a quantum per round.

A round is one iteration of the event loop, with all requests that arrived since the last iteration.
A user's requests beyond the quantum wait in order for the next rounds, so users who flood the
service mostly delay themselves. A single request that costs more than the quantum is paid for in
the next rounds. A lone user never waits.

A user of several stores has one quantum. While several stores are active, all users of a store
together get at most two quanta, and so do all clients without a token: a store's owner can create
users, and an attacker can have many addresses.
"""

import asyncio
from collections import deque
from collections.abc import Hashable

from plantstore.core.pools import Active

CACHED = 1  # the cost of a request that the cache answers by its bytes: 10 µs
ROUTED = 6  # the cost of any other request, plus:
BYTES_PARSED = 64  # bytes of an unknown head that cost 1 more, also for reading its parameters
BYTES_SENT = 4096  # bytes of a response that cost 1 more
BYTES_READ = 512  # bytes of a body that cost 1 more
REFUSED = 18  # for a refusal, which is explained and logged
_QUANTUM = 24
_GROUP_QUANTUM = 48

_Waiting = tuple[int, "asyncio.Future[None]"]


class FairQueue:
    """The turns of users, or networks, in a process. Create it on the event loop.

    ``users.are_several`` and ``groups.are_several`` say whether several were active recently.
    """

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self.users, self.groups = Active(), Active()
        self._spent: dict[Hashable, int] = {}  # in this round, by users and by groups
        self._waiting: dict[Hashable, deque[_Waiting]] = {}  # the next turn first

    def try_take(self, key: Hashable, cost: int) -> bool:
        """Take a turn if there is one now; returns whether there was."""
        if key != self.users.last:
            self.users.see(key)
            group = _group_of(key)
            if group != self.groups.last:
                self.groups.see(group)
        elif not self.users.are_several:
            return True
        if key in self._waiting or not self._has_turn(key):
            return False
        self._spend(key, cost)
        return True

    async def take(self, key: Hashable, cost: int) -> None:
        """Take a turn; wait for it if there is none now."""
        if not self.try_take(key, cost):
            turn = self._loop.create_future()
            self._waiting.setdefault(key, deque()).append((cost, turn))
            await turn

    async def take_of_network(self, network: Hashable, cost: int) -> None:
        """Take a turn for a request without a known user, such as a health check.

        A few of these in a round do not make a lone user wait.
        """
        if network not in self._waiting and self._has_turn(network):
            self._spend(network, cost)
        else:
            await self.take(network, cost)

    def charge(self, key: Hashable, cost: int) -> None:
        """Charge more for a request: its size is known only after it was handled."""
        if cost:
            self._spend(key, cost)

    def _has_turn(self, key: Hashable) -> bool:
        if self._spent.get(_user_of(key), 0) >= _QUANTUM:
            return False
        group = _group_of(key)
        return not self.groups.are_several or self._spent.get(group, 0) < _GROUP_QUANTUM

    def _spend(self, key: Hashable, cost: int) -> None:
        if not self._spent:
            self._loop.call_soon(self._begin_round)
        for it in (_user_of(key), _group_of(key)):
            self._spent[it] = self._spent.get(it, 0) + cost

    def _begin_round(self) -> None:
        before, self._spent = self._spent, {}
        for key, cost in before.items():
            quantum = _GROUP_QUANTUM if isinstance(key, int | None) else _QUANTUM
            if cost > quantum:
                self._spent[key] = cost - quantum
        if self._spent or self._waiting:
            self._loop.call_soon(self._begin_round)
            self._spent.setdefault(None, 0)
        for key, waiting in tuple(self._waiting.items()):
            if not self._has_turn(key):
                continue
            del self._waiting[key]
            while waiting and self._has_turn(key):
                cost, turn = waiting.popleft()
                if not turn.done():  # the request still waits
                    turn.set_result(None)
                    self._spend(key, cost)
            if waiting:  # at the end of the queue
                self._waiting[key] = waiting


def _user_of(key: Hashable) -> Hashable:
    """The user, with the tokens of all stores; or the network."""
    return key[1:] if isinstance(key, tuple) else key


def _group_of(key: Hashable) -> int | None:
    """The store of a user's token; None for networks, which are one group."""
    return key[0] if isinstance(key, tuple) else None
