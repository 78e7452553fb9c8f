"""Turns of networks: work of connections that others need not wait for.

Invariant: in an iteration of the event loop, each network has one piece of work done.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Hashable


class Turns:
    """The ``waiting`` work by network: each returns whether there was still something to do."""

    def __init__(self) -> None:
        self.waiting: dict[Hashable, deque[Callable[[], bool]]] = {}
        self._loop = asyncio.get_running_loop()

    def wait(self, network: Hashable, work: Callable[[], bool]) -> None:
        """Do the work when it is the network's turn."""
        if not self.waiting:
            self._loop.call_soon(self._begin_round)
        self.waiting.setdefault(network, deque()).append(work)

    def _begin_round(self) -> None:
        for network, pieces in tuple(self.waiting.items()):
            while pieces and not pieces.popleft()():
                pass
            if not pieces:
                del self.waiting[network]
        if self.waiting:
            self._loop.call_soon(self._begin_round)
