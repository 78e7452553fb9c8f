"""Each iteration of the event loop does limited work, and the networks take turns."""

import asyncio
import sys
from contextlib import ExitStack
from fcntl import ioctl
from itertools import pairwise
from pathlib import Path
from socket import SHUT_WR, socket, socketpair
from ssl import create_default_context
from termios import FIONREAD
from types import SimpleNamespace

import pytest
from msgspec.structs import replace

from plantstore.core.fair_queue import CACHED, CONNECTED, LINES_PARSED, NETWORKS, Key
from plantstore.core.pools import network_of
from plantstore.core.settings import Settings
from plantstore.server.connection import connect
from plantstore.server.connections import Connections
from tests.certificates import make_certificate
from tests.connections import (
    USER,
    CountingApplication,
    application,
    client,
    connections,
    record_costs,
    record_prices,
    serve,
)

__all__ = ["application", "client", "connections"]  # the fixtures

pytestmark = pytest.mark.anyio


def count_unread(server: socket) -> int:
    """Bytes that the server has not yet received."""
    return int.from_bytes(ioctl(server, FIONREAD, bytes(4)), sys.byteorder)


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
    for other in ((5, 5), (6, 6)):  # a lone user is not charged
        application.turns.users.see(other)
    head = b"GET / HTTP/1.1\r\nHost: x\r\n%b: x\r\nX-Long: %b\r\n\r\n"
    client.send(head % (name, 12_000 * b"x"))  # parsed in two parts
    await asyncio.sleep(0.01)
    parts = [(payer, CONNECTED + 16), (payer, CONNECTED + 7)]
    assert [paid for paid in costs if paid[1] > CONNECTED] == parts


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
