"""Each iteration of the event loop does limited work, and the networks take turns."""

import asyncio
import struct
import sys
from collections.abc import AsyncIterator, Callable, Hashable
from contextlib import ExitStack, suppress
from fcntl import ioctl
from functools import partial
from itertools import pairwise
from operator import attrgetter
from pathlib import Path
from socket import (
    SHUT_WR,
    SO_LINGER,
    SOL_SOCKET,
    create_connection,
    create_server,
    socket,
    socketpair,
)
from ssl import create_default_context
from termios import FIONREAD
from types import SimpleNamespace
from typing import cast

import pytest
from msgspec.structs import replace

from plantstore.core.errors import OverloadedError, RequestError
from plantstore.core.fair_queue import (
    CACHED,
    CONNECTED,
    LINES_PARSED,
    NETWORKS,
    ROUTED,
    FairQueue,
    Key,
    grant,
)
from plantstore.core.pools import UNREAD_BYTES, EvictingPool, Pools, network_of
from plantstore.core.settings import Settings
from plantstore.server.body import Body, ClientGoneError
from plantstore.server.connection import connect
from plantstore.server.connections import Connections
from plantstore.server.messages import Application, Request, Response
from tests.certificates import make_certificate

pytestmark = pytest.mark.anyio


USER = (1, 2)


class CountingApplication:
    """Counts the requests that it handles."""

    def __init__(self, settings: Settings) -> None:
        self.pools, self.turns, self.handled = Pools(settings), FairQueue(), 0
        self.content, self.long = b"", bytes(20_000)
        self.ends, self.cached = asyncio.Event(), cast("Response | None", None)

    def get_cached(self, _data: bytes) -> Response | None:
        return self.cached

    def find_user(self, head: bytes | memoryview) -> Key | None:
        return USER if b"Authorization" in bytes(head) else None

    def client_address(self, request: Request) -> str:
        return "9.9.9.9" if request.path == b"/proxied" else request.address

    async def handle(self, request: Request) -> Response:
        self.handled += 1
        self.request = request
        if request.path.startswith((b"/store", b"/other")):
            request.holder = 1 + request.path.startswith(b"/other")
        if request.path.endswith(b"/wait"):
            await self.ends.wait()
        if isinstance(request.body, Body):
            part = request.path == b"/part"
            try:
                self.content = await (
                    request.body.read_part() if part else request.body.read(10**6)
                )
            except (OverloadedError, RequestError):
                return Response(b"HTTP/1.1 503 Service Unavailable\r\n")
        if request.error is not None:
            return Response(b"HTTP/1.1 503 Service Unavailable\r\n")
        if request.path.endswith(b"/long"):
            return Response(b"HTTP/1.1 200 OK\r\n", self.long)
        return Response(b"HTTP/1.1 204 No Content\r\n")


@pytest.fixture
async def application() -> CountingApplication:
    return CountingApplication(Settings())


def serve(application: CountingApplication, settings: Settings) -> Connections:
    return Connections(cast("Application", application), settings)


@pytest.fixture
async def connections(application: CountingApplication) -> AsyncIterator[Connections]:
    serving = serve(application, Settings())
    yield serving
    serving.close()


@pytest.fixture
async def client(connections: Connections) -> AsyncIterator[socket]:
    """A client that is connected; reading from it never blocks."""
    client, server = socketpair()
    with client:
        client.setblocking(False)  # noqa: FBT003 - its name says it
        connect(connections, server, "10.0.0.1")
        yield client


def count_unread(server: socket) -> int:
    """Bytes that the server has not yet received."""
    return int.from_bytes(ioctl(server, FIONREAD, bytes(4)), sys.byteorder)


def record_names(names: list[object]) -> Callable[[str], object]:
    """An ``attrgetter`` that records its names."""

    def get(name: str) -> object:
        names.append(name)
        return attrgetter(name)

    return get


def record_prices(turns: FairQueue, monkeypatch: pytest.MonkeyPatch) -> list[tuple[Key, int]]:
    """What is charged from now on, with its key, without the time of steps that take long."""
    monkeypatch.setattr(turns, "charge_time", lambda *_: None)
    return record_costs(turns, monkeypatch)


def record_costs(turns: FairQueue, monkeypatch: pytest.MonkeyPatch) -> list[tuple[Key, int]]:
    """What is charged from now on, with its key."""
    costs, charge = list[tuple[Key, int]](), turns.charge

    def charge_and_record(key: Key, cost: int) -> None:
        costs.append((key, cost))
        charge(key, cost)

    monkeypatch.setattr(turns, "charge", charge_and_record)
    return costs


async def test_at_most_two_heads_are_parsed_per_loop_iteration(
    application: CountingApplication, connections: Connections
) -> None:
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
    assert max(after - before for before, after in pairwise(counts)) <= 2


async def test_a_pipeline_leaves_each_iteration_after_some_requests(
    application: CountingApplication, client: socket
) -> None:
    client.send(100 * b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
    counts = [0]
    while counts[-1] < 100:
        await asyncio.sleep(0)
        counts.append(application.handled)
    assert max(after - before for before, after in pairwise(counts)) <= 2 * 16


@pytest.mark.parametrize(
    ("name", "payer"), [(b"X-Filler", network_of("10.0.0.1")), (b"Authorization", USER)]
)
async def test_the_user_of_a_known_token_pays_for_parsing_else_the_network(
    application: CountingApplication,
    client: socket,
    monkeypatch: pytest.MonkeyPatch,
    name: bytes,
    payer: Key,
) -> None:
    costs = record_prices(application.turns, monkeypatch)
    client.send(b"GET / HTTP/1.1\r\nHost: x\r\n%b: %b\r\n\r\n" % (name, 6400 * b"x"))
    await asyncio.sleep(0.01)
    assert [paid for paid in costs if paid[1] > CONNECTED] == [(payer, CONNECTED + 12)]


@pytest.mark.parametrize(
    ("head", "debt", "waiting"),
    [(b"GET /wai", 10**6, 2), (b"GET /wait HTTP/1.1\r\nHost: x\r\n\r\n", 0, 1)],
)
async def test_no_further_segment_is_received_before_its_turn(
    application: CountingApplication,
    connections: Connections,
    head: bytes,
    debt: int,
    waiting: int,
) -> None:
    """A thousand clients that send single bytes would take all of the event loop's time."""
    client, server = socketpair()
    with client:
        connect(connections, server, "10.0.0.1")
        application.turns.charge(network_of("10.0.0.1"), debt)
        for segment in (head, b"t", b" "):
            client.send(segment)
            await asyncio.sleep(0.01)
        assert count_unread(server) == waiting
        application.ends.set()
        async with asyncio.timeout(10):
            while count_unread(server):  # noqa: ASYNC110 - the system has no event for it
                await asyncio.sleep(0.01)


async def test_tls_is_decrypted_in_turns_of_its_sender(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = make_certificate(tmp_path)
    settings = replace(Settings(), tls_cert=str(path), tls_key=str(path.with_suffix(".key")))
    application = CountingApplication(settings)
    costs = record_costs(application.turns, monkeypatch)
    connections = serve(application, settings)
    client, server = socketpair()
    connect(connections, server, "10.0.0.1")
    network = network_of("10.0.0.1")
    application.pools.note_store(network, 1)
    trust = create_default_context(cafile=path)
    _, writer = await asyncio.open_connection(sock=client, ssl=trust, server_hostname="127.0.0.1")
    key = (NETWORKS, 1), network[1]
    assert sum(cost for payer, cost in costs if payer == key) > CONNECTED  # of the handshake
    costs.clear()
    for byte in b"GET / HTTP/1.1\r\nHost: x\r\nX-Filler: %b\r\n\r\n" % (1000 * b"x"):
        writer.write(bytes([byte]))  # a record
    while not application.handled:
        await asyncio.sleep(0)
        assert application.turns.try_take((1, 1), CACHED)
    writer.transport.abort()
    connections.close()
    assert sum(cost for payer, cost in costs if payer == key) > 1000


@pytest.mark.parametrize("path", ["/", "/part"])
async def test_tiny_chunks_are_parsed_in_turns_of_their_sender(
    application: CountingApplication,
    connections: Connections,
    client: socket,
    monkeypatch: pytest.MonkeyPatch,
    path: str,
) -> None:
    costs = record_prices(application.turns, monkeypatch)
    content = b"".join(b"%09d" % number for number in range(2000))
    pieces = [content[start : start + 20] for start in range(0, len(content), 20)]
    body = b"".join(b"14\r\n%b\r\n" % piece for piece in pieces) + b"0\r\n\r\n"
    head = b"POST %b HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
    client.sendall(head % path.encode())
    while not application.handled:  # noqa: ASYNC110 - it takes a few iterations
        await asyncio.sleep(0)
    client.sendall(body + b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
    client.shutdown(SHUT_WR)
    while application.handled < 2:
        await asyncio.sleep(0)
        assert application.turns.try_take((1, 1), CACHED)
        assert connections.opened
    paid = [cost for key, cost in costs if key == network_of("10.0.0.1")]
    assert content.startswith(application.content)
    assert (application.content == content) == (path == "/")
    assert sum(paid) > 2 * len(pieces) // LINES_PARSED
    assert max(paid) <= 24


async def test_each_part_of_a_long_line_of_framing_costs_its_sender_the_line(
    application: CountingApplication, client: socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The line is examined again with each part."""
    costs = record_costs(application.turns, monkeypatch)
    head = b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
    for part in (head + b"1" + 15_000 * b" ", *10 * [b" "]):
        costs.clear()
        client.send(part)
        for _ in range(10):  # it arrives
            await asyncio.sleep(0)
    assert sum(cost for _, cost in costs) > 15_000 // 256 // LINES_PARSED


async def test_a_body_that_nobody_reads_is_received_in_turns_of_its_sender(
    application: CountingApplication, client: socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    costs = record_costs(application.turns, monkeypatch)
    head = b"POST /part HTTP/1.1\r\nHost: x\r\nContent-Length: 4000000\r\n\r\n"
    await asyncio.get_running_loop().sock_sendall(client, head + 4_000_000 * b"x")
    paid = sum(cost for key, cost in costs if key == network_of("10.0.0.1"))
    assert paid > 4_000_000 // (16 * 1024)


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


async def test_a_connection_waits_for_one_turn_however_often_bytes_arrive(
    application: CountingApplication, client: socket
) -> None:
    network = network_of("10.0.0.1")
    await asyncio.sleep(0)
    application.turns.charge(network, 1000)
    for number in range(3):
        client.send(b"GET / HTTP/1.1\r\nHost: x\r\nX-Number: %d\r\n\r\n" % number)
        await asyncio.sleep(0)
    waiting = application.turns.waiting[NETWORKS].keys[network]
    assert len(waiting) == 1
    while application.handled < 3:  # noqa: ASYNC110 - it takes a few iterations
        await asyncio.sleep(0)


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


async def test_a_step_that_takes_long_costs_the_proxys_client_its_time(
    application: CountingApplication,
    connections: Connections,
    client: socket,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    times = iter([0.0, 0.0, 0.0, 0.00106])  # of the first, short, and of the second request
    clock = SimpleNamespace(perf_counter=lambda: next(times))
    monkeypatch.setattr("plantstore.server.connection.time", clock)
    charged = record_costs(connections.turns, monkeypatch)
    for _ in range(2):
        client.send(b"GET /proxied HTTP/1.1\r\nHost: x\r\n\r\n")
        while not application.handled:  # noqa: ASYNC110 - it is for a few iterations
            await asyncio.sleep(0)
        application.handled = 0
    expected = [(network_of("9.9.9.9"), 66)]
    assert [(key, cost) for key, cost in charged if cost > CONNECTED] == expected


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
