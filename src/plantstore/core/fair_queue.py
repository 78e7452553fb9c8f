"""A fair queue for the time of the event loop: a flood delays mostly its sender.

A round has ``_SIZE`` units of about 15 µs. It is an iteration of the event loop or, while work
waits, ``ITERATIONS``, fewer if they are long: the last is for that work, the others for requests
that arrive meanwhile, up to half of the round, and for those that go on, as after a commit. The
rule is that of the pools: **a store may take more while it took less than is free**, and each of
its users while the user took less than half of that. A request goes on while its store took less
than its share, half of a round. **A store of which nothing waits may take three shares at once**: a
client that sends one request after another does not wait for those that send many. What exceeds
this waits for the next rounds, in which stores take turns, and within a store its users. A cost
over the share is paid for in the next rounds, and so is a long step of a request, by its time. A
lone user waits only with work that is longer than a round, or beyond 64 rounds at once.

A user has a share in each store, whose owner can make tokens for any user. Clients without a known
user share by network, and all together as one store: an attacker can have many addresses. See
``Pools.find_group`` for those that are new.
"""

import asyncio
import time
from collections import deque
from collections.abc import Callable, Hashable, Iterator
from functools import partial
from typing import Any, Generic, TypeVar

CACHED = 1  # the cost of a request that the cache answers by its bytes
ROUTED = 6  # the cost of any other request, and more if a step of it takes longer
LINES_PARSED = 8  # lines of a body's framing that cost 1 more
BYTES_SENT = 16 * 1024  # bytes of a response that cost 1 more
BYTES_READ = 512  # bytes of a body, or of a head to parse, that cost 1 more
COMMAS_READ = 64  # commas of a body of JSON that cost 1 more
REFUSED = 3  # for a refusal, or another response to a request without a valid token
CONNECTED = 8  # the cost of a new connection, or of a head that must be parsed
NETWORKS = "networks"  # in the place of a store: all networks together
ITERATIONS = 6  # of the event loop, in a round
_SIZE = 32
_UNIT_SECONDS = 0.000015  # about the time of 1
_SHARE = _SIZE // 2
_SHARES = 3  # of a store of which nothing waits
_ALONE = 32 * _SIZE  # half of what a lone user takes in an iteration: another may come
_LONG_SECONDS = 0.0003  # a round begins no more waiting work after this time
_SHARED_SECONDS = 10.0  # several are active for so long after another one was seen

Item = TypeVar("Item")
Work = Callable[[], bool]
Key = tuple[Hashable, Hashable]  # a store, and its user; or what is in their place


class RoundRobin(Generic[Item]):
    """Items by key, whose keys take turns: the first ``keys`` are next."""

    def __init__(self) -> None:
        self.keys: dict[Any, deque[Item]] = {}

    def put(self, key: Hashable, item: Item) -> None:
        """Add the key's last item."""
        self.keys.setdefault(key, deque()).append(item)

    def pop(self, key: Hashable) -> Item:
        """Remove the key's first item; all other keys are then before this one."""
        items = self.keys.pop(key)
        item = items.popleft()
        if items:
            self.keys[key] = items
        return item

    def remove(self, key: Hashable, item: Item) -> bool:
        """Remove an item; returns whether it was there."""
        items = self.keys.get(key, deque())
        if is_there := item in items:
            items.remove(item)
            if not items:
                del self.keys[key]
        return is_there


class Active:
    """Tracks whether several keys were active recently; ``last`` is the last one."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self.last: Hashable = self
        self._shared_until = 0.0
        self.are_several = False

    def see(self, key: Hashable) -> None:
        """Note that a key is active."""
        if key != self.last and self.last is not self:
            self._shared_until = self._loop.time() + _SHARED_SECONDS
            if not self.are_several:
                self._look_for_others()
        self.last = key

    def _look_for_others(self) -> None:
        self.are_several = self._loop.time() < self._shared_until
        if self.are_several:
            self._loop.call_at(self._shared_until, self._look_for_others)


class FairQueue:
    """The turns of users, or networks, in a process. Create it on the event loop.

    A key is a ``Principal`` or a network. ``users.are_several`` and ``stores.are_several`` say
    whether several were active recently. ``waiting`` has the costs and the work of those who wait,
    by store, or ``NETWORKS``; the first is next.
    """

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self.users, self.stores = Active(), Active()
        self.waiting: dict[Hashable, RoundRobin[tuple[int, Work]]] = {}
        self._spent: dict[Hashable, int] = {}  # in this round, by keys and by stores
        self._free = _SIZE
        self._left_alone = _ALONE
        self._is_scheduled = False

    def try_take(self, key: Key, cost: int) -> bool:
        """Take a turn if there is one now; returns whether there was."""
        store = key[0]
        if type(store) is int:
            if key != self.users.last:
                self.users.see(key)
                self.stores.see(store)
            elif not self.users.are_several:
                self._left_alone = left = self._left_alone - cost
                if left > 0:
                    return True
                self._schedule()  # it refills this
                return left > -_ALONE
        if self.is_waiting(key) or not self._may(key):
            return False
        self.charge(key, cost)
        return True

    def is_waiting(self, key: Key) -> bool:
        waiting = self.waiting.get(key[0])
        return waiting is not None and key in waiting.keys

    @property
    def are_networks_waiting(self) -> bool:
        """Whether clients without a known user wait, or new ones."""
        return any(type(store) is not int for store in self.waiting)

    async def take(self, key: Key, cost: int) -> None:
        """Take a turn to go on with a request; wait for it if there is none now.

        What costs nothing needs no turn. Work longer than a round waits for one even if its user is
        alone: another may come.
        """
        if cost > _SIZE or (cost and not self._try_go_on(key, cost)):
            await self.wait(key, cost)

    def wait(self, key: Key, cost: int) -> "asyncio.Future[None]":
        """Wait for a turn."""
        turn = self._loop.create_future()
        self.put(key, cost, partial(grant, turn))
        return turn

    def put(self, key: Key, cost: int, work: Work) -> None:
        """Do the work when it is the key's turn; it costs nothing if it returns False."""
        self.waiting.setdefault(key[0], RoundRobin()).put(key, (cost, work))
        self._schedule()

    def remove(self, key: Key, cost: int, work: Work) -> None:
        waiting = self.waiting[key[0]]
        waiting.remove(key, (cost, work))
        if not waiting.keys:
            del self.waiting[key[0]]

    def charge(self, key: Key, cost: int) -> None:
        """Charge for work that had no turn, or cost more than its turn."""
        for holder in (key, key[0]):
            self._spent[holder] = self._spent.get(holder, 0) + cost
        self._free -= cost
        self._schedule()

    def charge_time(self, key: Key, seconds: float) -> None:
        """Charge for work by its time, unless its user is alone."""
        if self.users.are_several or type(key[0]) is not int:
            self.charge(key, int(seconds / _UNIT_SECONDS))

    def _try_go_on(self, key: Key, cost: int) -> bool:
        if not self.users.are_several:
            return self.try_take(key, cost)
        if not self._took_little(key):
            return False
        self.charge(key, cost)
        return True

    def _took_little(self, key: Key) -> bool:
        """Whether the key may go on, or begin if nothing of its store waits."""
        shares = 1 if key[0] in self.waiting else _SHARES
        return self._spent.get(key[0], 0) < shares * _SHARE and self._free > -_SIZE

    def _may(self, key: Key) -> bool:
        if type(key[0]) is int and key[0] not in self.waiting:
            return self._took_little(key)
        spent, free = self._spent.get, self._free
        return 2 * spent(key, 0) < free and spent(key[0], 0) < free

    def _schedule(self) -> None:
        if not self._is_scheduled:
            self._is_scheduled = True
            self._loop.call_soon(self._begin_round)

    def _begin_round(self) -> None:
        self._free, self._left_alone = _SIZE, _ALONE
        self._spent = {key: cost - _SHARE for key, cost in self._spent.items() if cost > _SHARE}
        self._is_scheduled = bool(self.waiting)
        if self.waiting:
            self._free = _SHARE  # for what arrives before the work: it need not wait for long work
            self._iterate(ITERATIONS - 1, time.perf_counter() + 2 * _LONG_SECONDS)
        elif self._spent:
            self._schedule()

    def _iterate(self, left: int, until: float) -> None:
        if left and time.perf_counter() < until:
            self._loop.call_soon(self._iterate, left - 1, until)
        else:
            self._do_waiting()

    def _do_waiting(self) -> None:
        self._is_scheduled = False
        self._free = max(self._free, 0) + _SHARE
        until = time.perf_counter() + _LONG_SECONDS
        try:
            while self._free > 0 and time.perf_counter() < until:
                key = next(filter(self._may, self._list_waiting()), None)
                if key is None:
                    break
                waiting = self.waiting.pop(key[0])
                cost, work = waiting.pop(key)
                if waiting.keys:
                    self.waiting[key[0]] = waiting
                self.charge(key, cost)  # before the work, which may take more turns
                if not work():
                    self.charge(key, -cost)
        finally:  # whatever a piece of work raises, the others have their turns
            if self.waiting or self._spent:
                self._schedule()

    def _list_waiting(self) -> Iterator[Key]:
        """The keys that wait, the next first; a store without turns is passed over as a whole."""
        for store, waiting in self.waiting.items():
            if self._spent.get(store, 0) < self._free:
                yield from waiting.keys


def grant(turn: "asyncio.Future[None]") -> bool:
    """Let a request go on, unless it was cancelled; returns whether it goes on."""
    if turn.done():
        return False
    turn.set_result(None)
    return True
