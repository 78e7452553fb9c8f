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

MAX_ACCEPTED = 6144  # a third for each network
MAX_KNOWN = 4096
MAX_HANDSHAKES = 1800  # of TLS, with 50 KiB each: half for all networks, a third for one
UNREAD_BYTES = 32 * 1024  # the least that an unfinished body counts

Evict = Callable[[], None]


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
        if holder not in self._held and self._log_limit.admit(self.name) is not None:
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
        self._held[holder] -= count
        if not self._held[holder]:
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
            if not (self._waiting.remove(holder, waiter) or waiter.exception()):
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
    """A pool that evicts a holder's oldest units; of all networks, those of a large network."""

    def __init__(self, name: str, size: int) -> None:
        super().__init__(name, size)
        self._taken: dict[object, tuple[Hashable, int]] = {}
        self._keys: dict[Hashable, dict[object, Evict]] = {}  # by holder, the oldest first
        self._ranks = [dict[Hashable, None]() for _ in range(64)]  # networks, by the bits of units

    def can_make_room(self, network: Hashable) -> bool:
        """Whether the network may take more, or one with more than twice as much gives way."""
        excess, twice = self.find_excess(network), 2 * self._held.get(network, 0)
        return excess is None or twice < self._held[self._find_giver(excess)]

    def put(self, key: object, holder: Hashable, evict: Evict, count: int = 1) -> None:
        """Acquire units under a key, even if none is free and none can be evicted."""
        owner = self.find_excess(holder)
        missing = 0 if owner is None else count
        while missing > 0 and (giver := self._find_giver(owner)) in self._keys:
            oldest, evict_oldest = next(iter(self._keys[giver].items()))
            missing -= self.remove(oldest)
            evict_oldest()
        self._taken[key] = holder, count
        self.add(holder, count)
        self._keys.setdefault(holder, {})[key] = evict
        self._rank(holder, self._held[holder] - count)
        if owner is NETWORKS:
            self.has_room(giver)  # if nothing is left to it, this is logged

    def find_holder(self, key: object) -> Hashable:
        return self._taken.get(key, (None, 0))[0]

    def remove(self, key: object) -> int:
        """Release units, and return how many; none if they were evicted."""
        holder, count = self._taken.pop(key, (None, 0))
        if count:
            self.release(holder, count)
            keys = self._keys[holder]
            del keys[key]
            if not keys:
                del self._keys[holder]
            self._rank(holder, self._held.get(holder, 0) + count)
        return count

    def _rank(self, holder: Hashable, before: int) -> None:
        if type(holder) is tuple:
            self._ranks[before.bit_length()].pop(holder, None)
            if holder in self._keys:
                self._ranks[self._held[holder].bit_length()][holder] = None

    def _find_giver(self, owner: Hashable) -> Hashable:
        if owner is not NETWORKS:
            return owner
        return next(iter(next(filter(None, reversed(self._ranks)), (owner,))))


class Pools:
    """The pools of a process; features add more, by name."""

    def __init__(self, settings: Settings) -> None:
        self.accepted = EvictingPool("accepted", MAX_ACCEPTED)
        self.known_networks = EvictingPool("known_networks", MAX_KNOWN)
        self.connections = Pool("connections", settings.max_connections)
        self.requests = Pool("requests", 2 * settings.max_requests)
        self.unread_bytes = EvictingPool("unread_bytes", settings.max_requests * UNREAD_BYTES)
        self.handshakes = EvictingPool("handshakes", MAX_HANDSHAKES)
        self.unsent_bytes = Pool("unsent_bytes", settings.max_unsent_bytes)
        self.streams = Pool("streams", settings.max_streams)
        self.all: list[Pool] = [pool for pool in vars(self).values() if isinstance(pool, Pool)]

    def note_store(self, network: Hashable, store: Hashable) -> None:
        """Note that the network sent a valid token of the store."""
        self.known_networks.remove(network)
        self.known_networks.put(network, store, lambda: None)

    def find_group(self, network: Hashable) -> Hashable:
        """In the place of a store, for the turns of the network's new clients.

        A network that sent a valid token shares with those of the last token's store, others with
        all networks.
        """
        store = self.known_networks.find_holder(network)
        return NETWORKS if store is None else (NETWORKS, store)

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
    return NETWORKS, socket.inet_pton(socket.AF_INET6, address.partition("%")[0])[:_NETWORK_BYTES]


def levels_of(holder: Hashable) -> tuple[Hashable, ...]:
    """Whose units a holder's units are: also those of all networks, if it is a network."""
    return (holder, NETWORKS) if type(holder) is tuple else (holder,)
