"""Pools that clients share: connections, requests, bodies, unsent bytes, streams, queues.

Every pool has the same rule: **a store may take more while it holds less than is free**. So one
store has at most half of a pool, two have at most a third each, and a new store always finds free
units. Until a request's token is known, its network takes the store's place: all networks together
have the share of a store, and each may take more while it holds less than half of what is free.

Invariant: each unit is released once, by the holder that took it: a store or a network.
"""

import asyncio
import logging
import socket
from collections.abc import Callable, Hashable

from plantstore.core.errors import OverloadedError
from plantstore.core.failures import RepeatLimit
from plantstore.core.fair_queue import NETWORKS, RoundRobin
from plantstore.core.settings import Settings

logger = logging.getLogger(__name__)

_WAIT_SECONDS = 1.0
_FULL_SECONDS = 1.0  # after a refusal
_NETWORK_BYTES = 8  # an IPv6 /64: its owner chooses the rest of the address

MAX_ACCEPTED = 6144  # a third for a proxy
UNREAD_BYTES = 32 * 1024  # the least that an unfinished body counts


class Pool:
    """``size`` units, of which ``used`` are acquired.

    ``refused_at`` is the loop's time when a store without units was last refused, or a network
    while no network had units: the pool was full.
    """

    def __init__(self, name: str, size: int) -> None:
        self.name = name
        self.size = size
        self.used = 0
        self.refused_at = float("-inf")
        self._held: dict[Hashable, int] = {}
        self._waiting = RoundRobin[asyncio.Future[None]]()
        self._log_limit = RepeatLimit()

    def has_room(self, holder: Hashable) -> bool:
        """Whether the holder may take more."""
        if self.find_excess(holder) is None:
            return True
        if levels_of(holder)[-1] not in self._held:
            self.refused_at = asyncio.get_running_loop().time()
            if self._log_limit.admit(self.name) is not None:
                most = self.largest
                message = "the pool %s is full: %s holds most, %d of %d"
                logger.warning(message, self.name, most, self._held.get(most, 0), self.size)
        return False

    def find_excess(self, holder: Hashable) -> Hashable:
        """Who has too much for the holder to take more; None if it may.

        It is the holder, or ``NETWORKS``, or the largest if the holder has nothing.
        """
        free = self.size - self.used
        for level in levels_of(holder):
            held = self._held.get(level, 0)
            if held and (2 if type(level) is tuple else 1) * held >= free:
                return level
        return None if free > 0 else self.largest

    def try_acquire(self, store: Hashable) -> bool:
        """Acquire a unit if the store may; return whether it got it."""
        # Inlined has_room and add: calls would double the cost.
        held = self._held.get(store, 0)
        if held >= self.size - self.used:
            return self.has_room(store)
        self._held[store] = held + 1
        self.used += 1
        return True

    def acquire(self, holder: Hashable, count: int = 1) -> None:
        """Acquire units, maybe more than are free.

        :raises OverloadedError: the holder may not take it.
        """
        if not self.has_room(holder):
            raise OverloadedError
        self.add(holder, count)

    def add(self, holder: Hashable, count: int = 1) -> None:
        """Count units that are already in use, even if none is free."""
        self._held[holder] = self._held.get(holder, 0) + count
        if type(holder) is tuple:
            self.add(NETWORKS, count)
        else:
            self.used += count

    def release(self, holder: Hashable, count: int = 1) -> None:
        """Release units; waiting holders that may acquire one take turns."""
        left = self._held[holder] - count
        if left:
            self._held[holder] = left
        else:
            del self._held[holder]
        if type(holder) is tuple:
            self.release(NETWORKS, count)
            return
        self.used -= count
        for other in self._waiting.keys:
            if self.try_acquire(other):
                self._waiting.pop(other).set_result(None)
                return

    async def wait_and_acquire(self, holder: Hashable) -> None:
        """Acquire a unit; wait a little if none is free.

        :raises OverloadedError: none became free.
        """
        if self.try_acquire(holder):
            return
        loop = asyncio.get_running_loop()
        waiter = loop.create_future()
        self._waiting.put(holder, waiter)
        timer = loop.call_later(_WAIT_SECONDS, self._refuse, holder, waiter)
        try:
            await waiter
        except asyncio.CancelledError:  # the client has gone
            self._waiting.remove(holder, waiter)
            if waiter.done() and not (waiter.cancelled() or waiter.exception()):
                self.release(holder)
            raise
        finally:
            timer.cancel()

    def clear(self) -> None:
        """Release all units."""
        self.used = 0
        self._held.clear()

    @property
    def largest(self) -> Hashable:
        """The store with the most units, or ``NETWORKS``; None if there is none."""
        return max(self._held, key=self._held.__getitem__, default=None)

    def _refuse(self, holder: Hashable, waiter: "asyncio.Future[None]") -> None:
        if self._waiting.remove(holder, waiter):
            waiter.set_exception(OverloadedError())


class EvictingPool(Pool):
    """A pool that evicts units of holders with too many, the oldest first."""

    def __init__(self, name: str, size: int) -> None:
        super().__init__(name, size)
        self._taken: dict[object, tuple[Hashable, int, Callable[[], None]]] = {}
        self._keys: dict[Hashable, dict[object, None]] = {}  # by holder, the oldest first

    def put(self, key: object, holder: Hashable, evict: Callable[[], None], count: int = 1) -> None:
        """Acquire units under a key; ``evict`` is called when the pool evicts them."""
        owner, missing = self.find_excess(holder), count
        while missing > 0 and owner in self._held:
            _, its_count, evict_oldest = self._taken[oldest := next(iter(self._keys[owner]))]
            self.remove(oldest)
            evict_oldest()
            missing -= its_count
        self.add(holder, count)
        self._taken[key] = holder, count, evict
        for level in levels_of(holder):
            self._keys.setdefault(level, {})[key] = None

    def remove(self, key: object) -> None:
        """Release units, unless they were evicted."""
        if key in self._taken:
            holder, count, _ = self._taken.pop(key)
            self.release(holder, count)
            for level in levels_of(holder):
                del self._keys[level][key]
                if not self._keys[level]:
                    del self._keys[level]


class Pools:
    """The pools of a process; features add more, by name."""

    def __init__(self, settings: Settings) -> None:
        self.accepted = Pool("accepted", MAX_ACCEPTED)
        self.connections = Pool("connections", settings.max_connections)
        self.requests = Pool("requests", 2 * settings.max_requests)
        self.unread_bytes = EvictingPool("unread_bytes", settings.max_requests * UNREAD_BYTES)
        self.unsent_bytes = Pool("unsent_bytes", settings.max_unsent_bytes)
        self.streams = Pool("streams", settings.max_streams)
        self.all: list[Pool] = [pool for pool in vars(self).values() if isinstance(pool, Pool)]

    def add_pool(self, pool: Pool) -> Pool:
        """Add a pool, for metrics and readiness."""
        self.all.append(pool)
        return pool

    def find_full(self) -> Pool | None:
        """A pool that refused a holder without units within the last second."""
        since = asyncio.get_running_loop().time() - _FULL_SECONDS
        return next((pool for pool in self.all if pool.refused_at >= since), None)


def network_of(address: str) -> tuple[str, str | bytes]:
    """The holder for an address: the network of an IPv4 address, or of an IPv6 /64."""
    if ":" not in address:
        return NETWORKS, address
    binary = socket.inet_pton(socket.AF_INET6, address.partition("%")[0])
    return NETWORKS, binary[:_NETWORK_BYTES]


def levels_of(holder: Hashable) -> tuple[Hashable, ...]:
    """Whose units a holder's units are: also those of all networks, if it is a network."""
    return (holder, NETWORKS) if type(holder) is tuple else (holder,)
