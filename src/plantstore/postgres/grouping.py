"""Collects what arrives while earlier groups are under way, and sends it as the next group."""

import asyncio
from collections.abc import Sequence
from typing import Generic, TypeVar

from msgspec import Struct

from plantstore.errors import OverloadedError

Item = TypeVar("Item")
Result = TypeVar("Result")


class Waiting(Struct, Generic[Item, Result], frozen=True):
    """One item, when it arrived by the loop's clock, and the future of its result."""

    item: Item
    arrived: float
    future: "asyncio.Future[Result]"


class Grouping(Generic[Item, Result]):
    """At most ``most_groups`` under way, and at most ``most_waiting`` items for the next."""

    def __init__(self, most_groups: int, most_waiting: int) -> None:
        self._loop = asyncio.get_running_loop()
        self._most_groups = most_groups
        self._most_waiting = most_waiting
        self._waiting: list[Waiting[Item, Result]] = []
        self._under_way: set[asyncio.Task[None]] = set()
        self._will_send = False

    def submit(self, item: Item) -> "asyncio.Future[Result]":
        """Queue an item; the future ends with its result, or with why there is none."""
        if len(self._waiting) >= self._most_waiting:
            raise OverloadedError
        if not self._will_send:
            # Only after this round of the loop, so that all requests that it reads come along.
            self._will_send = True
            self._loop.call_soon(self._send)
        future: asyncio.Future[Result] = self._loop.create_future()
        self._waiting.append(Waiting(item, self._loop.time(), future))
        return future

    async def drain(self) -> None:
        """Return when nothing is waiting or under way."""
        while self._waiting or self._under_way:
            self._send()
            if self._under_way:
                await asyncio.wait(self._under_way)

    async def run(self, items: Sequence[Item]) -> Sequence[Result | Exception]:
        """The results of a group, in its order."""
        raise NotImplementedError

    def take(self) -> list[Waiting[Item, Result]]:
        """Remove the next group from what is waiting: all of it."""
        group, self._waiting = self._waiting, []
        return group

    def _send(self) -> None:
        self._will_send = False
        while self._waiting and len(self._under_way) < self._most_groups:
            group = self.take()
            if not group:
                return
            task = self._loop.create_task(self._carry(group))
            self._under_way.add(task)
            task.add_done_callback(self._end)

    def _end(self, task: "asyncio.Task[None]") -> None:
        self._under_way.discard(task)
        self._send()

    async def _carry(self, group: list[Waiting[Item, Result]]) -> None:
        try:
            results = await self.run([waiting.item for waiting in group])
        except Exception as error:  # noqa: BLE001 - each gets it
            results = [error] * len(group)
        for waiting, result in zip(group, results, strict=True):
            if waiting.future.done():  # its request was cancelled
                continue
            if isinstance(result, Exception):
                waiting.future.set_exception(result)
            else:
                waiting.future.set_result(result)
