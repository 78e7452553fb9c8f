"""Each iteration of the event loop does limited work, and the networks take turns."""

import asyncio
import struct
from contextlib import ExitStack
from itertools import pairwise
from socket import SO_LINGER, SOL_SOCKET, create_connection, create_server, socket, socketpair
from typing import cast

import pytest
from msgspec.structs import replace

from plantstore.core.fair_queue import NETWORKS, ROUTED, FairQueue
from plantstore.core.pools import Pool, Pools
from plantstore.core.settings import Settings
from plantstore.server.acceptor import Acceptor
from plantstore.server.connection import connect
from plantstore.server.connections import Connections
from plantstore.server.messages import Application, Request, Response

pytestmark = pytest.mark.anyio


class CountingApplication:
    """Counts the requests that it handles."""

    def __init__(self, settings: Settings) -> None:
        self.pools, self.turns, self.handled = Pools(settings), FairQueue(), 0
        self.ends, self.cached = asyncio.Event(), cast("Response | None", None)

    def get_cached(self, _data: bytes) -> Response | None:
        return self.cached

    async def handle(self, request: Request) -> Response:
        self.handled += 1
        if request.path.startswith(b"/store"):
            request.holder = 1
        if request.path.endswith(b"/wait"):
            await self.ends.wait()
        return Response(b"HTTP/1.1 204 No Content\r\n")


def make_application() -> Application:
    return cast("Application", CountingApplication(Settings()))


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


@pytest.mark.parametrize("path", ["/", "/wait"])
async def test_a_crowd_of_networks_closes_no_connection_of_a_store(path: str) -> None:
    settings = replace(Settings(), max_connections=16)
    application = CountingApplication(settings)
    connections = Connections(cast("Application", application), settings)

    async def request(address: str, path: str) -> None:
        client, server = socketpair()
        stack.enter_context(client)
        connect(connections, server, address)
        client.send(b"GET %b HTTP/1.1\r\nHost: x\r\n\r\n" % path.encode())
        handled = application.handled
        while application.handled == handled:  # noqa: ASYNC110 - it takes a few iterations
            await asyncio.sleep(0)

    with ExitStack() as stack:
        for of_store in ("/store", "/store/wait"):
            await request("10.0.0.1", of_store)
        for number in range(30):
            await request(f"10.0.1.{number}", path)
        await request("10.0.0.2", "/store")
        assert sum(connection.owner == 1 for connection in connections.opened) == 3
        application.ends.set()
        await asyncio.sleep(0.01)
        connections.close()


async def test_no_first_response_is_cached_so_that_a_connection_counts_for_its_store() -> None:
    application = CountingApplication(Settings())
    application.cached = Response(b"HTTP/1.1 200 OK\r\n")
    connections = Connections(cast("Application", application), Settings())
    client, server = socketpair()
    with client:
        connect(connections, server, "10.0.0.1")
        client.setblocking(False)  # noqa: FBT003 - its name says it
        for status in (b"204", b"200"):
            client.send(b"GET /store HTTP/1.1\r\nHost: x\r\n\r\n")
            received = await asyncio.get_running_loop().sock_recv(client, 1000)
            assert status in received
            assert [connection.owner for connection in connections.opened] == [1]
        connections.close()


async def test_a_client_that_resets_before_accept_opens_no_connection() -> None:
    connections = Connections(make_application(), Settings())
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


async def test_draining_does_not_wait_for_the_turns_of_users() -> None:
    connections = Connections(make_application(), Settings())

    def work() -> bool:
        connections.turns.put((1, 1), ROUTED, work)
        return True

    work()
    await asyncio.wait_for(connections.drain(), 1)
    connections.close()


async def test_few_clients_are_accepted_at_a_time() -> None:
    connected = list[str]()

    def connect_client(client: socket, address: str) -> None:
        client.close()
        connected.append(address)

    acceptor, counts = Acceptor(make_application(), connect_client), [0]
    with create_server(("127.0.0.1", 0), backlog=100) as listener, ExitStack() as stack:
        for _ in range(90):
            stack.enter_context(create_connection(listener.getsockname()))
        acceptor.listen(listener)
        while counts[-1] < 90:
            await asyncio.sleep(0)
            counts.append(len(connected))
        acceptor.close(listener)
    assert max(after - before for before, after in pairwise(counts)) <= 8


async def test_the_clients_of_many_networks_that_wait_are_bounded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("plantstore.server.acceptor.network_of", lambda _: (NETWORKS, object()))
    connected, application = list[socket](), make_application()
    application.pools.accepted = Pool("accepted", 8)

    acceptor = Acceptor(application, lambda client, _: connected.append(client))
    with create_server(("127.0.0.1", 0)) as listener, ExitStack() as stack:
        for _ in range(6):
            stack.enter_context(create_connection(listener.getsockname()))
        acceptor.listen(listener)
        for _ in range(10):
            await asyncio.sleep(0)
        acceptor.close(listener)
        for client in connected:
            client.close()
    assert len(connected) == 4
