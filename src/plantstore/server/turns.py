"""Accepts connections, and gives networks their turns: a flood delays mostly its own.

Invariant: an iteration of the event loop has at most a quantum of this work. After half a
millisecond it begins no more, and pauses for as long as the work took.
"""

import asyncio
import logging
import socket
import time
from collections import deque
from collections.abc import Callable, Hashable
from contextlib import suppress
from functools import partial

from plantstore.core.pools import network_of
from plantstore.core.settings import UNIX

logger = logging.getLogger(__name__)

BACKLOG = 2048
_ACCEPTED_IN_A_ROW = 8  # more than are served in an iteration
_RETRY_SECONDS = 1.0
_LONG_SECONDS = 0.0005

Connect = Callable[[socket.socket, str], bool]


class Turns:
    """The ``waiting`` work by network; each piece returns whether there was something to do."""

    def __init__(self, quantum: int) -> None:
        self.waiting: dict[Hashable, deque[Callable[[], bool]]] = {}  # whose turn is next, first
        self._quantum = quantum
        self._is_begun = False
        self._next_at = 0.0  # by time.perf_counter
        self._loop = asyncio.get_running_loop()

    def wait(self, network: Hashable, work: Callable[[], bool]) -> None:
        """Do the work when it is the network's turn."""
        self.waiting.setdefault(network, deque()).append(work)
        self._schedule()

    def _schedule(self) -> None:
        if self.waiting and not self._is_begun:
            self._is_begun = True
            self._loop.call_later(max(0.0, self._next_at - time.perf_counter()), self._begin_round)

    def _begin_round(self) -> None:
        left, begin = self._quantum, time.perf_counter()
        try:
            while left and self.waiting and time.perf_counter() - begin < _LONG_SECONDS:
                network = next(iter(self.waiting))
                work = (pieces := self.waiting.pop(network)).popleft()
                if pieces:  # after all others
                    self.waiting[network] = pieces
                left -= work()
        finally:  # whatever a piece raises, the others have their turns
            self._is_begun = False
            end = time.perf_counter()
            if end - begin > _LONG_SECONDS:
                self._next_at = end + (end - begin)
            self._schedule()


class Acceptor:
    """Accepts clients on listening sockets; ``connect`` gets each client and its address."""

    def __init__(self, turns: Turns, connect: Connect) -> None:
        self._turns = turns
        self._connect = connect
        self._loop = asyncio.get_running_loop()

    def listen(self, listener: socket.socket) -> None:
        listener.settimeout(0)
        self._loop.add_reader(listener, self._accept, listener, _ACCEPTED_IN_A_ROW)

    def close(self, listener: socket.socket) -> None:
        """Close the socket, after the last clients: it would reset their connections."""
        self._accept(listener, BACKLOG)
        self._loop.remove_reader(listener)
        listener.close()

    def _accept(self, listener: socket.socket, count: int) -> None:
        is_unix = listener.family == socket.AF_UNIX
        try:
            with suppress(BlockingIOError, ConnectionAbortedError):
                for _ in range(count):
                    client, name = listener.accept()
                    address = UNIX if is_unix else name[0]
                    network = network_of(address)
                    if len(self._turns.waiting.get(network, ())) < BACKLOG:
                        self._turns.wait(network, partial(self._connect, client, address))
                    else:
                        client.close()
        except OSError as error:  # such as too many open files
            logger.warning("cannot accept connections: %s", error)
            self._loop.remove_reader(listener)
            self._loop.call_later(_RETRY_SECONDS, self.listen, listener)
