"""Batches items: those that arrive while batches are in flight form the next batch."""

import asyncio
from collections import defaultdict, deque
from collections.abc import Callable, Hashable, Sequence
from operator import attrgetter
from typing import Any, Generic, TypeVar

from msgspec import Struct

from plantstore.core.completion import Completion
from plantstore.core.fair_queue import Active

Item = TypeVar("Item")
Result = TypeVar("Result")

_GATHERING_SECONDS = 0.005
_SHARED_SECONDS = 0.002  # while several stores are active: a steady stream of one fills the time
_MAX_BATCHES_OF_ONE_STORE = 6
AGAIN = Exception()  # the result of an item that has to wait for another batch


class Waiting(Struct, Generic[Item, Result], frozen=True):
    """An item, its arrival by the loop's clock, and the future for its result."""

    item: Item
    arrived: float
    future: Completion[Result]


class Batcher(Generic[Item, Result]):
    """Keeps at most ``max_batches`` in flight. Gathers briefly if several ``stores`` are active.

    ``store_of`` tells in whose queue an item waits.
    """

    store_of: Callable[[Any], Hashable] = attrgetter("store_id")

    def __init__(self, max_batches: int, stores: Active, shared: float = _SHARED_SECONDS) -> None:
        self._loop = asyncio.get_running_loop()
        self._max_batches, self._shared_seconds = max_batches, shared
        self.stores = stores
        self.waiting = defaultdict[Any, deque[Waiting[Item, Result]]](deque)  # by store
        self._in_flight: set[asyncio.Task[None]] = set()
        self._is_gathering = False
        self._separates_stores = False

    def separate_stores(self) -> None:
        """Give each store its own batches: then a silent server delays only its own stores."""
        self._separates_stores = True
        self._max_batches = _MAX_BATCHES_OF_ONE_STORE

    def submit(self, item: Item) -> "asyncio.Future[Result]":
        """Queue an item; the future gets its result, or the error."""
        self._begin_gathering()
        future: Completion[Result] = Completion(loop=self._loop)
        self.waiting[self.store_of(item)].append(Waiting(item, self._loop.time(), future))
        return future

    @property
    def depth(self) -> int:
        """How many items wait."""
        return sum(map(len, self.waiting.values()))

    async def drain(self) -> None:
        while self.waiting or self._in_flight:
            self._send()
            await (asyncio.wait(self._in_flight) if self._in_flight else asyncio.sleep(0.01))

    async def run(self, items: Sequence[Item]) -> Sequence[Result | Exception]:
        raise NotImplementedError

    def next_batch(self) -> list[Waiting[Item, Result]]:
        """Remove the next batch from the queue: here, all of the queue."""
        batch = [waiting for queue in self.waiting.values() for waiting in queue]
        self.waiting.clear()
        return batch

    def _begin_gathering(self) -> None:
        if not self._is_gathering:
            self._is_gathering = True
            seconds = self._shared_seconds if self.stores.are_several else _GATHERING_SECONDS
            self._loop.call_soon(self._gather, 0, self._loop.time() + seconds)

    def _gather(self, seen: int, until: float) -> None:
        """Send the next batch once no more items arrive: a batch costs as much as many items."""
        if seen < (depth := self.depth) and self._loop.time() < until:
            self._loop.call_soon(self._gather, depth, until)
        else:
            self._is_gathering = False
            self._send()

    def _send(self) -> None:
        while self.waiting and len(self._in_flight) < self._max_batches:
            batch = self.next_batch()
            if not batch:
                return
            task = self._loop.create_task(self._run_batch(batch))
            self._in_flight.add(task)
            task.add_done_callback(self._end)

    def _end(self, task: "asyncio.Task[None]") -> None:
        self._in_flight.discard(task)
        self._begin_gathering()

    async def _run_batch(self, batch: list[Waiting[Item, Result]]) -> None:
        try:
            results = await self.run([waiting.item for waiting in batch])
        except Exception as error:  # noqa: BLE001 - each gets it
            results = [error] * len(batch)
        again = []
        for waiting, result in zip(batch, results, strict=True):
            if result is AGAIN:
                again.append(waiting)
            else:
                waiting.future.settle(result)
        for waiting in reversed(again):
            self.waiting[self.store_of(waiting.item)].appendleft(waiting)
