"""Accepts connections; networks take turns, so a flood delays mostly its own.

Behind a trusted proxy, all clients have its address: they wait, and none is disconnected.
"""

import asyncio
import logging
import socket
from collections.abc import Callable, Hashable
from contextlib import suppress
from functools import partial

from plantstore.core.fair_queue import CONNECTED
from plantstore.core.pools import network_of
from plantstore.core.proxies import Proxies
from plantstore.core.settings import UNIX, Settings
from plantstore.server.messages import Application

logger = logging.getLogger(__name__)

BACKLOG = 4096
_ACCEPTED_IN_A_ROW = 8  # more than are served in an iteration
_RETRY_SECONDS = 1.0
_PAUSE_SECONDS = 0.005

Connect = Callable[[socket.socket, str], None]


class Acceptor:
    """Accepts clients on listening sockets; ``connect`` gets each client and its address."""

    def __init__(self, application: Application, connect: Connect, settings: Settings) -> None:
        self._proxies = Proxies(settings.trusted_proxies)
        self._turns, self._waiting = application.turns, application.pools.accepted
        self._connect = connect
        self._loop = asyncio.get_running_loop()

    def listen(self, listener: socket.socket) -> None:
        if listener.fileno() >= 0:  # not closed before a retry
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
                    has_room = self._waiting.has_room(network)
                    if not (has_room or self._proxies.trust(address)):
                        client.close()
                        continue
                    self._waiting.add(network)
                    work = partial(self._serve, network, client, address)
                    self._turns.put(network, CONNECTED, work)
                    if not has_room:  # the next ones wait in the system's queue
                        self._retry(listener, _PAUSE_SECONDS)
                        break
        except OSError as error:  # such as too many open files
            logger.warning("cannot accept connections: %s", error)
            self._retry(listener, _RETRY_SECONDS)

    def _retry(self, listener: socket.socket, seconds: float) -> None:
        self._loop.remove_reader(listener)
        self._loop.call_later(seconds, self.listen, listener)

    def _serve(self, network: Hashable, client: socket.socket, address: str) -> bool:
        self._waiting.release(network)
        self._connect(client, address)
        return True
