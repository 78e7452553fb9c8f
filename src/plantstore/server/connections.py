"""All connections of a process: their limits, their deadlines, and what they share.

A connection counts for the store of its requests; before, for its network. Invariant: idle
connections never keep out new ones: at a limit, the connection that has waited longest is closed.
"""

import asyncio
import time
from collections.abc import Callable, Coroutine, Hashable
from operator import attrgetter
from typing import TYPE_CHECKING, Any
from wsgiref.handlers import format_date_time  # email.utils imports 4 ms more

from plantstore.core.pools import levels_of
from plantstore.core.settings import Settings
from plantstore.server.heads import KnownLines
from plantstore.server.messages import Application
from plantstore.server.sockets import give_memory_back
from plantstore.server.tls import Certificate, TlsInput
from plantstore.server.tracing import RequestIds

if TYPE_CHECKING:
    from plantstore.server.connection import Connection

_TICK = 0.1  # seconds: the precision of deadlines
_MAX_FREED = 4 * 2**20  # bytes that the process keeps for later messages
_CONNECTION_BYTES = 32 * 1024  # with TLS; during the handshake 50 KiB
_FEW = 64  # 1 in 64 connections

Start = Coroutine["asyncio.Future[Any]", None, Any]


class Connections:
    """The connections on which ``application`` is served.

    ``opened`` has the counted ones. As of the last tick, ``now`` is the loop's time,
    ``end_of_heads`` the end of every response's head without the request's id, and
    ``end_of_repeated`` without the number in an id of ours.
    """

    def __init__(self, application: Application, settings: Settings) -> None:
        self.application, self.settings = application, settings
        self.check_interval = min(1.0, settings.body_timeout / 4)  # seconds, of requests in flight
        self.opened: set[Connection] = set()
        application.connections = self.opened
        self.certificate: Certificate | None = None
        if settings.tls_cert and settings.tls_key:
            self.certificate = Certificate(settings.tls_cert, settings.tls_key)
        self.known_lines = KnownLines()
        self.request_ids = RequestIds()
        self.pools, self.turns = application.pools, application.turns
        self._peak = 0  # bytes used since memory was given back
        self.is_stopping = self.is_draining = self.is_closed = False
        # As of this tick: by holder, who waits, the last one longest; and holders of whom few wait.
        self._waiting: dict[Hashable, list[tuple[float, Connection]]] = {}
        self._busy: set[Hashable] = set()
        self._loop = asyncio.get_running_loop()
        self._tick()

    def begin(self, connection: "Connection", transport: asyncio.Transport) -> None:
        """Open a new connection, if room can be made for it; with TLS, after a handshake."""
        pool, network = self.pools.connections, connection.network
        has_room = self._make_room(pool.find_excess(network)) or pool.has_room(network)
        if self.is_closed or not has_room:
            connection.refuse() if self.certificate is None else transport.abort()
            return
        pool.add(network)
        self.opened.add(connection)
        if self.certificate is None:
            connection.open(transport)
        else:
            context, connection.timeout = self.certificate.context, self.settings.head_timeout

            def shake_hands() -> None:
                self.pools.handshakes.put(connection, network, connection.drop)
                start = self._loop.start_tls(transport, connection, context, server_side=True)
                begin(start, lambda decrypted: connection.open(tls.open(decrypted)))

            tls = TlsInput(connection, transport, self.turns, self.pools, shake_hands)

    def count_for(self, connection: "Connection", store: Hashable) -> None:
        """Count an open connection for a store; close it if none of the store's gives way."""
        pool = self.pools.connections
        if connection in self.opened:
            self.release(connection)  # it must not make room for itself
            if not (self._make_room(pool.find_excess(store)) or pool.has_room(store)):
                connection.drop()
                return
            self.opened.add(connection)
            pool.add(store)
        connection.owner = connection.sender.holder = store
        self.pools.note_store(connection.network, store)

    def release(self, connection: "Connection") -> None:
        if connection in self.opened:
            self.opened.remove(connection)
            self.pools.connections.release(connection.owner)

    def announce_stop(self) -> None:
        """Announce the stop, and end connections with their next response."""
        self.is_stopping = True
        self.application.announce_stop()
        for connection in self.opened:
            connection.announce_stop()

    async def drain(self) -> None:
        self.is_draining = True
        while self.turns.are_networks_waiting:  # noqa: ASYNC110 - it is for a few iterations
            await asyncio.sleep(0)
        await asyncio.sleep(0)  # the last of them are opened
        for connection in tuple(self.opened):
            connection.shutdown()
        while self.opened:  # noqa: ASYNC110 - no connection takes time for it
            await asyncio.sleep(0.005)

    def close(self) -> None:
        """Respond to all requests in flight at once, and close all connections."""
        self.is_closed = True
        self._timer.cancel()
        for connection in tuple(self.opened):
            connection.abandon()

    def _make_room(self, excess: Hashable) -> bool:
        """Close the connection that has waited longest, of the holder with too many, if any."""
        if excess is None:
            return False
        waiting = self._waiting.setdefault(excess, [])
        if not waiting and excess not in self._busy:  # searching takes time
            waiting += [(it.since, it) for it in reversed(self._find(excess, "is_waiting"))]
            if len(waiting) <= len(self.opened) // _FEW:
                self._busy.add(excess)
        while waiting:
            since, connection = waiting.pop()
            is_same = connection.since == since and excess in levels_of(connection.holder)
            if is_same and connection.is_waiting and connection in self.opened:
                connection.drop()
                return True
        return False

    def _find(self, holder: Hashable, state: str) -> list["Connection"]:
        """The holder's connections of which this is true; the first has waited longest."""
        of_holder = (known for known in self.opened if holder in levels_of(known.holder))
        return sorted(filter(attrgetter(state), of_holder), key=attrgetter("since"))

    def _tick(self) -> None:
        self._timer = self._loop.call_later(_TICK, self._tick)
        self.now = self._loop.time()
        self._waiting.clear()
        self._busy.clear()
        date = format_date_time(time.time())
        end = f"Date: {date}\r\nX-Content-Type-Options: nosniff\r\nX-Request-Id: "
        self.end_of_heads = end.encode()
        self.end_of_repeated = self.end_of_heads + self.request_ids.prefix
        for connection in tuple(self.opened):
            if connection.since + connection.timeout <= self.now:
                connection.expire()
        unsent = self.pools.unsent_bytes
        if unsent.used > unsent.size:
            stuck = self._find(unsent.largest, "sender.is_stuck")
            for connection in stuck[: 1 + len(self.opened) // _FEW]:
                connection.drop()
        used = unsent.used + self.pools.unread_bytes.used + len(self.opened) * _CONNECTION_BYTES
        self._peak = max(self._peak, used)
        if self._peak - used > _MAX_FREED:
            self._peak = used
            give_memory_back()


def begin(start: Start, done: Callable[[Any], object]) -> None:
    """Start a coroutine of the event loop at once, such as ``start_tls``; it needs no task.

    With ``start_tls``, all bytes from now on belong to TLS. ``done`` gets the result, or None on
    failure.
    """

    def proceed(future: object) -> None:
        del future  # the task has the error, whose traceback has this frame
        try:
            start.send(None)
        except StopIteration as end:
            done(end.value)
        except OSError:  # such as ssl.SSLError: the client's error
            done(None)

    start.send(None).add_done_callback(proceed)
