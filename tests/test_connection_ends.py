"""How a connection ends: when its client ends or resets it, and at a stop."""

import asyncio
import struct
from collections.abc import Hashable
from functools import partial
from socket import (
    SHUT_WR,
    SO_LINGER,
    SOL_SOCKET,
    create_connection,
    create_server,
    socket,
    socketpair,
)

import pytest

from plantstore.core.fair_queue import CONNECTED, NETWORKS, ROUTED, grant
from plantstore.server.body import ClientGoneError
from plantstore.server.connection import connect
from plantstore.server.connections import Connections
from tests.connections import CountingApplication, application, client, connections

__all__ = ["application", "client", "connections"]  # the fixtures

pytestmark = pytest.mark.anyio


async def test_requests_that_arrived_before_the_clients_end_are_all_handled(
    application: CountingApplication, connections: Connections, client: socket
) -> None:
    get = b"GET %b HTTP/1.1\r\nHost: x\r\n\r\n"
    part = b"POST /part HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
    client.sendall(get % b"/wait" + part + 300 * b"1\r\nx\r\n" + b"0\r\n\r\n" + get % b"/")
    client.shutdown(SHUT_WR)
    for _ in range(10):  # the end arrives while the first request waits
        await asyncio.sleep(0)
    application.ends.set()
    while connections.opened:  # noqa: ASYNC110 - it takes a few iterations
        await asyncio.sleep(0)
    assert application.handled == 3


async def test_a_client_that_resets_before_accept_opens_no_connection(
    connections: Connections,
) -> None:
    with create_server(("127.0.0.1", 0)) as listener:
        client = create_connection(listener.getsockname())
        server, _ = listener.accept()
        client.setsockopt(SOL_SOCKET, SO_LINGER, struct.pack("ii", 1, 0))
        client.close()  # resets the connection
    assert not connect(connections, server, "10.0.0.1")
    for _ in range(5):
        assert not connections.opened
        await asyncio.sleep(0)


@pytest.mark.parametrize("count", [1, 2])  # no more is received if a second one waits
@pytest.mark.parametrize("is_ended", [True, False])
async def test_a_request_learns_that_its_client_has_gone(
    application: CountingApplication, connections: Connections, *, count: int, is_ended: bool
) -> None:
    with create_server(("127.0.0.1", 0)) as listener:
        client = create_connection(listener.getsockname())
        assert connect(connections, listener.accept()[0], "10.0.0.1")
    client.send(count * b"GET /wait HTTP/1.1\r\nHost: x\r\n\r\n")
    while not application.handled:  # noqa: ASYNC110 - it is for a few iterations
        await asyncio.sleep(0)
    if is_ended:
        client.shutdown(SHUT_WR)
        for _ in range(5):
            await asyncio.sleep(0)
    application.request.require_client()  # it may still read
    client.setsockopt(SOL_SOCKET, SO_LINGER, struct.pack("ii", 1, 0))
    client.close()  # resets the connection
    await asyncio.sleep(0.05)
    with pytest.raises(ClientGoneError):
        application.request.require_client()
    application.ends.set()
    while connections.opened:  # noqa: ASYNC110 - it is for a few iterations
        await asyncio.sleep(0)


async def test_draining_does_not_wait_for_the_turns_of_users(connections: Connections) -> None:
    def work() -> bool:
        connections.turns.put((1, 1), ROUTED, work)
        return True

    work()
    await asyncio.wait_for(connections.drain(), 1)


@pytest.mark.parametrize("group", [NETWORKS, (NETWORKS, 1)])
async def test_draining_waits_for_the_turns_of_new_clients(
    connections: Connections, group: Hashable
) -> None:
    turn = asyncio.get_running_loop().create_future()
    connections.turns.put((group, "network"), CONNECTED, partial(grant, turn))
    await asyncio.wait_for(connections.drain(), 1)
    assert turn.done()


async def test_a_client_that_connects_after_the_end_is_refused(connections: Connections) -> None:
    connections.close()
    client, server = socketpair()
    with client:
        client.setblocking(False)  # noqa: FBT003 - its name says it
        connect(connections, server, "10.0.0.1")
        client.send(b"GET /store HTTP/1.1\r\nHost: x\r\n\r\n")
        received = await asyncio.get_running_loop().sock_recv(client, 1000)
    assert b" 503 " in received
    assert not connections.opened


async def test_a_request_that_comes_too_late_at_a_stop_is_not_reset(
    application: CountingApplication, connections: Connections, client: socket
) -> None:
    get, receive = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", asyncio.get_running_loop().sock_recv
    client.send(get)
    assert b" 204 " in await receive(client, 1000)
    draining = asyncio.ensure_future(connections.drain())
    for _ in range(5):  # the end is sent
        await asyncio.sleep(0)
    client.send(get)
    assert await receive(client, 1000) == b""
    assert application.handled == 1
    client.close()
    await asyncio.wait_for(draining, 30)
