"""Pools that clients share: connections, requests, bodies, unsent bytes, streams, queues.

Every pool has the same rule: **a holder may take more while it holds less than is free**. So one
holder has at most half of a pool, two have at most a third each, and a new holder always finds free
units. A holder is a store or, until a request's token is known, the network of an address.

Invariant: each unit is released once, by the holder that took it.
"""

import asyncio
import logging
import socket
from collections.abc import Callable, Hashable

from plantstore.core.errors import OverloadedError
from plantstore.core.failures import RepeatLimit
from plantstore.core.settings import Settings

logger = logging.getLogger(__name__)

_WAIT_SECONDS = 1.0
_FULL_SECONDS = 1.0  # after a refusal
_NETWORK_BYTES = 8  # an IPv6 /64: its owner chooses the rest of the address

MAX_ACCEPTED = 4096
UNREAD_BYTES = 32 * 1024  # the least that an unfinished body counts


class Pool:
    """``size`` units, of which ``used`` are acquired.

    ``refused_at`` is the loop's time when a holder without units was last refused: the pool was
    full.
    """

    def __init__(self, name: str, size: int) -> None:
        self.name = name
        self.size = size
        self.used = 0
        self.refused_at = float("-inf")
        self._held: dict[Hashable, int] = {}
        self._waiting: dict[asyncio.Future[None], Hashable] = {}
        self._log_limit = RepeatLimit()

    def has_room(self, holder: Hashable) -> bool:
        """Whether the holder may take more."""
        held = self._held.get(holder, 0)
        if held < self.size - self.used:
            return True
        if not held:
            self.refused_at = asyncio.get_running_loop().time()
            if self._log_limit.admit(self.name) is not None:
                most = self.largest
                message = "the pool %s is full: %s holds most, %d of %d"
                logger.warning(message, self.name, most, self._held.get(most, 0), self.size)
        return False

    def try_acquire(self, holder: Hashable, count: int = 1) -> bool:
        """Acquire units if the holder may; return whether it got them."""
        # Inlined has_room: a call would double the cost.
        held = self._held.get(holder, 0)
        if held >= self.size - self.used:
            return self.has_room(holder)
        self._held[holder] = held + count
        self.used += count
        return True

    def acquire(self, holder: Hashable, count: int = 1) -> None:
        """Acquire units.

        :raises OverloadedError: the holder may not take them.
        """
        if not self.try_acquire(holder, count):
            raise OverloadedError

    def add(self, holder: Hashable, count: int) -> None:
        """Count units that are already in use, even if none is free."""
        self._held[holder] = self._held.get(holder, 0) + count
        self.used += count

    def release(self, holder: Hashable, count: int = 1) -> None:
        """Release units; the first waiting holder that may acquire one gets it."""
        self.used -= count
        left = self._held[holder] - count
        if left:
            self._held[holder] = left
        else:
            del self._held[holder]
        if not self._waiting:
            return
        for waiter, other in self._waiting.items():
            if self.try_acquire(other):
                del self._waiting[waiter]
                waiter.set_result(None)
                return

    async def wait_and_acquire(self, holder: Hashable) -> None:
        """Acquire a unit; wait a little if none is free.

        :raises OverloadedError: none became free.
        """
        if self.try_acquire(holder):
            return
        loop = asyncio.get_running_loop()
        waiter = loop.create_future()
        self._waiting[waiter] = holder
        timer = loop.call_later(_WAIT_SECONDS, self._refuse, waiter)
        try:
            await waiter
        except asyncio.CancelledError:  # the client has gone
            if waiter.done() and not (waiter.cancelled() or waiter.exception()):
                self.release(holder)
            raise
        finally:
            self._waiting.pop(waiter, None)
            timer.cancel()

    def clear(self) -> None:
        """Release all units."""
        self.used = 0
        self._held.clear()

    @property
    def largest(self) -> Hashable:
        """The holder with the most units; None if there is none."""
        return max(self._held, key=self._held.__getitem__, default=None)

    def _refuse(self, waiter: "asyncio.Future[None]") -> None:
        if self._waiting.pop(waiter, None) is not None:
            waiter.set_exception(OverloadedError())


class EvictingPool(Pool):
    """A pool that evicts units of holders with too many, the oldest first."""

    def __init__(self, name: str, size: int) -> None:
        super().__init__(name, size)
        self._taken: dict[object, tuple[Hashable, int, Callable[[], None]]] = {}  # the oldest first

    def put(self, key: object, holder: Hashable, evict: Callable[[], None], count: int = 1) -> None:
        """Acquire units under a key; ``evict`` is called when the pool evicts them."""
        if not self.try_acquire(holder, count):
            owner = holder if holder in self._held else self.largest
            missing = count
            while missing > 0 and owner in self._held:
                oldest = next(key for key, taken in self._taken.items() if taken[0] == owner)
                _, its_count, evict_oldest = self._taken[oldest]
                self.remove(oldest)
                evict_oldest()
                missing -= its_count
            self.add(holder, count)
        self._taken[key] = holder, count, evict

    def remove(self, key: object) -> None:
        """Release units, unless they were evicted."""
        if key in self._taken:
            holder, count, _ = self._taken.pop(key)
            self.release(holder, count)


class Pools:
    """The pools of a process; features add more, by name."""

    def __init__(self, settings: Settings) -> None:
        self.accepted = Pool("accepted", MAX_ACCEPTED)
        self.connections = Pool("connections", settings.max_connections)
        self.handshakes = EvictingPool("handshakes", settings.max_requests)
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


def network_of(address: str) -> Hashable:
    """The network of an address: an IPv4 address, or an IPv6 /64."""
    if ":" not in address:
        return address
    return socket.inet_pton(socket.AF_INET6, address.partition("%")[0])[:_NETWORK_BYTES]
