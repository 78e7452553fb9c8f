"""At a limit, room is made: who holds too much, or does not read, gives way."""

import asyncio
from collections.abc import Callable
from contextlib import ExitStack, suppress
from operator import attrgetter
from socket import socket, socketpair

import pytest
from msgspec.structs import replace

from plantstore.core.fair_queue import NETWORKS
from plantstore.core.pools import UNREAD_BYTES, EvictingPool, network_of
from plantstore.core.settings import Settings
from plantstore.server.connection import connect
from plantstore.server.connections import Connections
from plantstore.server.messages import Response
from tests.connections import CountingApplication, application, client, connections, serve

__all__ = ["application", "client", "connections"]  # the fixtures

pytestmark = pytest.mark.anyio


def record_names(names: list[object]) -> Callable[[str], object]:
    """An ``attrgetter`` that records its names."""

    def get(name: str) -> object:
        names.append(name)
        return attrgetter(name)

    return get


async def test_the_oldest_unfinished_body_gives_way_even_if_more_of_it_arrives(
    application: CountingApplication, connections: Connections
) -> None:
    application.pools.unread_bytes = EvictingPool("unread_bytes", 4 * UNREAD_BYTES)
    with ExitStack() as stack:

        async def begin_body() -> socket:
            client, server = socketpair()
            stack.enter_context(client)
            client.setblocking(False)  # noqa: FBT003 - its name says it
            connect(connections, server, "10.0.0.1")
            client.send(b"POST /store HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nx")
            await asyncio.sleep(0.01)
            return client

        oldest, second = await begin_body(), await begin_body()
        oldest.send(b"x")
        await asyncio.sleep(0.01)
        await begin_body()
        refused = asyncio.get_running_loop().sock_recv(oldest, 100)
        assert b"503" in await asyncio.wait_for(refused, 5)
        with pytest.raises(BlockingIOError):
            second.recv(1)
    while connections.opened:  # noqa: ASYNC110 - it takes a few iterations
        await asyncio.sleep(0)


@pytest.mark.parametrize("path", ["/", "/wait"])
async def test_a_crowd_of_networks_closes_no_connection_of_a_store(path: str) -> None:
    settings = replace(Settings(), max_connections=16)
    application = CountingApplication(settings)
    connections = serve(application, settings)

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


@pytest.mark.parametrize("path", [b"/store", b"/store/wait"])  # idle or busy connections
async def test_a_connection_makes_no_room_for_itself_and_few_searches_are_made(
    monkeypatch: pytest.MonkeyPatch, path: bytes
) -> None:
    searched = list[object]()
    monkeypatch.setattr(f"{Connections.__module__}.attrgetter", record_names(searched))
    settings = replace(Settings(), max_connections=256)
    application = CountingApplication(settings)
    connections = serve(application, settings)

    async def request(path: bytes) -> socket:
        client, server = socketpair()
        stack.enter_context(client)
        client.setblocking(False)  # noqa: FBT003 - its name says it
        connect(connections, server, "10.0.0.1")
        client.send(b"GET %b HTTP/1.1\r\nHost: x\r\n\r\n" % path)
        return client

    with ExitStack() as stack:
        for number in range(130):
            await request(path)
            while application.handled == number:  # noqa: ASYNC110 - it takes a few iterations
                await asyncio.sleep(0)
        monkeypatch.setattr(f"{Connections.__module__}._TICK", 3600)  # after the next tick
        connections.now = 0.0
        while not connections.now:  # noqa: ASYNC110 - until the tick
            await asyncio.sleep(0)
        searched.clear()
        for _ in range(20):
            response = asyncio.get_running_loop().sock_recv(await request(b"/store"), 1000)
            assert b"204" in await asyncio.wait_for(response, 5)
        assert application.pools.connections.used == len(connections.opened)
        assert searched == ["is_waiting", "since"]
        application.ends.set()
    while connections.opened:  # noqa: ASYNC110 - it takes a few iterations
        await asyncio.sleep(0)
    assert not application.pools.connections.used
    connections.close()


async def test_room_for_a_network_is_not_made_by_closing_a_stores_connection(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Nor that of a client who has sent its first request since the last search."""
    monkeypatch.setattr(f"{Connections.__module__}._TICK", 3600)
    settings = replace(Settings(), max_connections=8)
    application = CountingApplication(settings)
    connections = serve(application, settings)
    with ExitStack() as stack:
        clients = list[socket]()
        for number in range(6):  # the sixth makes room by a search
            client, server = socketpair()
            clients.append(stack.enter_context(client))
            connect(connections, server, f"10.0.{number}.1")
            await asyncio.sleep(0.01)
        for client in clients:
            with suppress(BrokenPipeError):  # it was closed
                client.send(b"GET /store HTTP/1.1\r\nHost: x\r\n\r\n")
        await asyncio.sleep(0.01)
        of_store = {known for known in connections.opened if known.owner == 1}
        assert of_store
        for number in range(8):
            client, server = socketpair()
            stack.enter_context(client)
            connect(connections, server, f"10.1.{number}.1")
            await asyncio.sleep(0.01)
        assert of_store <= connections.opened
        connections.close()
        await asyncio.sleep(0.01)


async def test_a_store_beyond_its_share_loses_one_idle_connection_for_each_new_one() -> None:
    settings = replace(Settings(), max_connections=40)
    application = CountingApplication(settings)
    connections = serve(application, settings)
    with ExitStack() as stack:
        for path in (*20 * [b"/store"], *10 * [b"/other"], *5 * [b"/store"]):
            client, server = socketpair()
            stack.enter_context(client).setblocking(False)  # noqa: FBT003 - its name says it
            connect(connections, server, "10.0.0.1")
            for _ in range(2):
                client.send(b"GET %b HTTP/1.1\r\nHost: x\r\n\r\n" % path)
                received = asyncio.get_running_loop().sock_recv(client, 1000)
                assert b"204" in await asyncio.wait_for(received, 5)
        owners = [connection.owner for connection in connections.opened]
        assert (owners.count(1), owners.count(2)) == (20, 10)
        connections.close()
        await asyncio.sleep(0.01)


async def test_only_who_does_not_read_is_closed_while_too_many_bytes_are_unsent(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("plantstore.server.sender._STUCK_SECONDS", 0.5)
    settings = replace(Settings(), max_unsent_bytes=10**6)
    application = CountingApplication(settings)
    application.long = bytes(10**7)
    connections = serve(application, settings)
    with ExitStack() as stack:
        for path in (b"/store", b"/store", b"/store/long"):
            client, server = socketpair()
            stack.enter_context(client)
            connect(connections, server, "10.0.0.1")
            client.send(b"GET %b HTTP/1.1\r\nHost: x\r\n\r\n" % path)
            await asyncio.sleep(0.2)
        (stuck,) = (known for known in connections.opened if known.sender.is_paused)
        while stuck in connections.opened:  # noqa: ASYNC110 - it takes a few ticks
            await asyncio.sleep(0.01)
        assert len(connections.opened) == 2
        connections.close()
        await asyncio.sleep(0.01)


@pytest.mark.parametrize(("method", "status"), [(b"GET", 503), (b"HEAD", 200), (b"POST", 200)])
async def test_only_a_long_response_to_a_read_is_refused_while_too_many_bytes_are_unsent(
    application: CountingApplication, client: socket, method: bytes, status: int
) -> None:
    """A write has been done, and a response to HEAD is short."""
    unsent = application.pools.unsent_bytes
    unsent.add(network_of("10.0.0.1"), unsent.size)
    client.send(b"%b /long HTTP/1.1\r\nHost: x\r\n\r\n" % method)
    received = await asyncio.get_running_loop().sock_recv(client, 12)
    assert received == b"HTTP/1.1 %d" % status


async def test_who_does_not_read_at_once_is_closed_while_too_many_bytes_are_unsent(
    application: CountingApplication, connections: Connections, client: socket
) -> None:
    application.long = bytes(10**6)
    unsent = application.pools.unsent_bytes
    unsent.add(network_of("10.0.0.1"), unsent.size)
    client.send(b"POST /long HTTP/1.1\r\nHost: x\r\n\r\n")
    while not application.handled:  # noqa: ASYNC110 - it takes a few iterations
        await asyncio.sleep(0)
    for _ in range(3):
        await asyncio.sleep(0)
    assert not connections.opened


async def test_no_first_response_is_cached_so_that_a_connection_counts_for_its_store(
    application: CountingApplication, connections: Connections, client: socket
) -> None:
    application.cached = Response(b"HTTP/1.1 200 OK\r\n")
    for status in (b"204", b"200"):
        client.send(b"GET /store HTTP/1.1\r\nHost: x\r\n\r\n")
        received = await asyncio.get_running_loop().sock_recv(client, 1000)
        assert status in received
        assert [connection.owner for connection in connections.opened] == [1]
    assert application.pools.find_group(network_of("10.0.0.1")) == (NETWORKS, 1)
