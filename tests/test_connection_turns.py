"""Each iteration of the event loop does limited work, and the networks take turns."""

import asyncio
import struct
import time
from contextlib import ExitStack
from functools import partial
from itertools import pairwise
from socket import SO_LINGER, SOL_SOCKET, create_connection, create_server, socket, socketpair
from typing import cast

import pytest

from plantstore.core.pools import Pools
from plantstore.core.settings import Settings
from plantstore.server.connection import connect
from plantstore.server.connections import Connections
from plantstore.server.messages import Application, Request, Response
from plantstore.server.turns import Acceptor, Turns

pytestmark = pytest.mark.anyio


async def test_a_long_queue_does_not_delay_another_network() -> None:
    turns, order = Turns(2), list[str]()

    def work(name: str) -> bool:
        order.append(name)
        return name != "gone"

    for name in ("first", "gone", "second", "third"):
        turns.wait("flood", partial(work, name))
    turns.wait("other", partial(work, "other"))
    await asyncio.sleep(0)
    assert order == ["first", "other"]
    await asyncio.sleep(0)
    assert order[2:] == ["gone", "second", "third"]  # a client that is gone uses no turn
    assert not turns.waiting


async def test_a_pause_follows_a_long_task() -> None:
    turns, times, is_done = Turns(2), list[float](), asyncio.Event()

    def work() -> bool:
        times.append(time.perf_counter())
        time.sleep(0.02)
        if len(times) == 3:
            is_done.set()
        return True

    for network in ("first", "second"):
        turns.wait(network, work)
    await asyncio.sleep(0.02)
    turns.wait("third", work)
    await is_done.wait()
    assert all(after - before > 0.035 for before, after in pairwise(times))


async def test_a_failing_task_does_not_stop_the_queue() -> None:
    turns, order = Turns(1), list[int]()

    def work(number: int) -> bool:
        order.append(1 // number)
        return True

    asyncio.get_running_loop().set_exception_handler(lambda _loop, _context: None)
    for number in (0, 1):
        turns.wait("network", partial(work, number))
    for _ in range(3):
        await asyncio.sleep(0)
    assert order == [1]


class CountingApplication:
    """Counts the requests that it handles."""

    def __init__(self, settings: Settings) -> None:
        self.pools, self.handled = Pools(settings), 0

    def get_cached(self, _data: bytes) -> None:
        return None

    async def handle(self, _request: Request) -> Response:
        self.handled += 1
        return Response(b"HTTP/1.1 204 No Content\r\n")


async def test_at_most_two_heads_are_parsed_per_loop_iteration() -> None:
    settings = Settings()
    application = CountingApplication(settings)
    connections = Connections(cast("Application", application), settings)
    with ExitStack() as stack:
        for number in range(50):
            client, server = socketpair()
            stack.enter_context(client)
            connect(connections, server, "10.0.0.1")
            client.send(b"GET / HTTP/1.1\r\nHost: x\r\nX-Number: %d\r\n\r\n" % number)
        counts = [0]
        while counts[-1] < 50:
            await asyncio.sleep(0)
            counts.append(application.handled)
        connections.close()
    assert max(after - before for before, after in pairwise(counts)) <= 2


async def test_a_client_that_resets_before_accept_opens_no_connection() -> None:
    settings = Settings()
    connections = Connections(cast("Application", CountingApplication(settings)), settings)
    with create_server(("127.0.0.1", 0)) as listener:
        client = create_connection(listener.getsockname())
        server, _ = listener.accept()
        client.setsockopt(SOL_SOCKET, SO_LINGER, struct.pack("ii", 1, 0))
        client.close()  # resets the connection
    connect(connections, server, "10.0.0.1")
    for _ in range(5):
        assert not connections.opened
        await asyncio.sleep(0)
    connections.close()


async def test_few_clients_are_accepted_at_a_time() -> None:
    turns, connected = Turns(1000), list[str]()

    def connect_client(client: socket, address: str) -> bool:
        client.close()
        connected.append(address)
        return True

    acceptor, counts = Acceptor(turns, connect_client), [0]
    with create_server(("127.0.0.1", 0), backlog=100) as listener, ExitStack() as stack:
        for _ in range(90):
            stack.enter_context(create_connection(listener.getsockname()))
        acceptor.listen(listener)
        while counts[-1] < 90:
            await asyncio.sleep(0)
            counts.append(len(connected))
        acceptor.close(listener)
    assert max(after - before for before, after in pairwise(counts)) <= 8
