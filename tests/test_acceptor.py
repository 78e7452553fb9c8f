"""Clients are accepted in turns, in which networks share."""

import asyncio
import struct
from contextlib import ExitStack, suppress
from errno import EMFILE
from itertools import pairwise
from select import select
from socket import SO_LINGER, SOL_SOCKET, create_connection, create_server, socket
from types import SimpleNamespace
from typing import Any, NoReturn, cast

import pytest
from msgspec.structs import replace

from plantstore.core.errors import SetupError
from plantstore.core.fair_queue import CONNECTED, ITERATIONS, NETWORKS, FairQueue
from plantstore.core.pools import EvictingPool, Pools, network_of
from plantstore.core.settings import Settings
from plantstore.server.listeners import Acceptor, listen
from plantstore.server.messages import Application

pytestmark = pytest.mark.anyio


@pytest.fixture
async def application() -> Application:
    return cast("Application", SimpleNamespace(pools=Pools(Settings()), turns=FairQueue()))


def close(client: socket, _address: str) -> bool:
    client.close()
    return True


def test_a_network_that_fills_its_queue_in_the_system_leaves_others_theirs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("plantstore.server.listeners.BACKLOG", 4)
    with listen(Settings(port=0)) as listeners, ExitStack() as stack:

        def count_connected(addresses: list[str]) -> int:
            count, name = 0, listeners[0].getsockname()
            for address in addresses:
                with suppress(TimeoutError):
                    stack.enter_context(create_connection(name, 0.1, (address, 0)))
                    count += 1
            return count

        assert count_connected(8 * ["127.0.0.1"]) < 8
        assert count_connected([f"127.0.0.{number}" for number in range(2, 34)]) > 20


def test_a_port_is_shared_with_nobody_and_free_after_a_stop() -> None:
    with listen(Settings(port=0)) as listeners:
        name = listeners[0].getsockname()
        own = Settings(port=name[1])
        with pytest.raises(SetupError, match="in use"), listen(own):
            pass
        with create_connection(name) as client:
            ready, _, _ = select(listeners, [], [], 5)
            ready[0].accept()[0].close()  # the system keeps its end for a minute
            assert client.recv(1) == b""
    with listen(own):
        pass


async def test_few_clients_are_accepted_in_a_round(
    application: Application, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = SimpleNamespace(perf_counter=lambda: 0.0)  # no round ends early
    monkeypatch.setattr("plantstore.core.fair_queue.time", clock)
    turns, accepted, iterations = application.turns, application.pools.accepted, 0

    def work() -> bool:
        turns.put((1, 1), CONNECTED, work)
        return True

    work()  # while work waits, a round has several iterations
    acceptor = Acceptor(application, close, Settings())
    with create_server(("127.0.0.1", 0), backlog=100) as listener, ExitStack() as stack:
        for _ in range(90):
            stack.enter_context(create_connection(listener.getsockname()))
        acceptor.listen(listener)
        while accepted.used < 80:
            await asyncio.sleep(0)
            iterations += 1
        acceptor.close(listener)
        while accepted.used:  # noqa: ASYNC110 - it is for a few iterations
            await asyncio.sleep(0)
    assert iterations > 2 * ITERATIONS


@pytest.mark.parametrize("is_there", [True, False])
async def test_few_clients_are_connected_at_a_time(
    application: Application, monkeypatch: pytest.MonkeyPatch, *, is_there: bool
) -> None:
    """Those that have gone take no turns."""
    clock = SimpleNamespace(perf_counter=lambda: 0.0)  # no round ends early
    monkeypatch.setattr("plantstore.core.fair_queue.time", clock)
    connected = list[str]()

    def connect_client(client: socket, address: str) -> bool:
        client.close()
        connected.append(address)
        return is_there

    acceptor, counts = Acceptor(application, connect_client, Settings()), [0]
    with create_server(("127.0.0.1", 0), backlog=100) as listener, ExitStack() as stack:
        for _ in range(90):
            stack.enter_context(create_connection(listener.getsockname()))
        acceptor.listen(listener)
        while counts[-1] < 90:
            await asyncio.sleep(0)
            counts.append(len(connected))
        acceptor.close(listener)
    assert (max(after - before for before, after in pairwise(counts)) <= 8) == is_there


async def test_clients_that_have_gone_when_they_are_accepted_do_not_wait(
    application: Application,
) -> None:
    with create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(0)
        with create_connection(listener.getsockname()) as client:
            client.setsockopt(SOL_SOCKET, SO_LINGER, struct.pack("ii", 1, 0))  # it is reset
        Acceptor(application, close, Settings()).close(listener)  # it accepts all clients
    assert not application.pools.accepted.used


async def test_a_new_connection_does_not_wait_behind_the_requests_of_its_network(
    application: Application,
) -> None:
    """They may be other clients' of the same proxy."""
    done = list[str]()

    def work() -> bool:
        done.append("head")
        return True

    def connect_client(client: socket, _: str) -> bool:
        client.close()
        done.append("connection")
        return True

    acceptor = Acceptor(application, connect_client, Settings())
    for _ in range(20):
        application.turns.put(network_of("127.0.0.1"), CONNECTED, work)
    with (
        create_server(("127.0.0.1", 0)) as listener,
        create_connection(listener.getsockname()),
    ):
        listener.settimeout(0)
        acceptor.close(listener)  # it accepts all clients
        for _ in range(100):
            await asyncio.sleep(0)
    assert done.index("connection") <= 4


async def test_a_listener_that_is_closed_while_files_run_out_is_left_alone(
    application: Application, monkeypatch: pytest.MonkeyPatch
) -> None:
    class ListenerWithoutFiles(socket):
        def accept(self) -> NoReturn:
            raise OSError(EMFILE, "too many open files")

    monkeypatch.setattr("plantstore.server.listeners._RETRY_SECONDS", 0.0)
    errors = list[dict[str, Any]]()
    asyncio.get_running_loop().set_exception_handler(lambda _, error: errors.append(error))
    acceptor = Acceptor(application, close, Settings())
    listener = ListenerWithoutFiles()
    acceptor.listen(listener)
    acceptor.close(listener)
    await asyncio.sleep(0.01)
    assert errors == []


async def test_a_listener_that_is_closed_before_its_turn_is_left_alone(
    application: Application,
) -> None:
    errors = list[dict[str, Any]]()
    asyncio.get_running_loop().set_exception_handler(lambda _, error: errors.append(error))
    acceptor = Acceptor(application, close, Settings())
    with (
        create_server(("127.0.0.1", 0)) as listener,
        create_connection(listener.getsockname()),
    ):
        acceptor.listen(listener)
        while not application.turns.waiting:  # noqa: ASYNC110 - it is for a few iterations
            await asyncio.sleep(0)
        acceptor.close(listener)
        while application.turns.waiting:  # noqa: ASYNC110 - it is for a few iterations
            await asyncio.sleep(0)
    assert errors == []


async def test_the_clients_of_many_networks_that_wait_are_bounded(
    application: Application, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("plantstore.server.listeners.network_of", lambda _: (NETWORKS, object()))
    connected = list[socket]()
    application.pools.accepted = EvictingPool("accepted", 8)

    def keep(client: socket, _address: str) -> bool:
        connected.append(client)
        return True

    acceptor = Acceptor(application, keep, Settings())
    with create_server(("127.0.0.1", 0)) as listener, ExitStack() as stack:
        for _ in range(6):
            stack.enter_context(create_connection(listener.getsockname()))
        acceptor.listen(listener)
        while len(connected) < 4:  # noqa: ASYNC110 - it is for a few iterations
            await asyncio.sleep(0)
        for _ in range(3 * ITERATIONS):
            await asyncio.sleep(0)
        acceptor.close(listener)
        for client in connected:
            client.close()
    assert len(connected) == 4


async def test_a_network_without_waiting_clients_finds_room_beside_a_flood(
    application: Application,
) -> None:
    connected = list[str]()

    def connect_client(client: socket, address: str) -> bool:
        client.close()
        connected.append(address)
        return True

    application.pools.accepted = EvictingPool("accepted", 24)
    acceptor = Acceptor(application, connect_client, Settings())
    with create_server(("127.0.0.1", 0), backlog=100) as listener, ExitStack() as stack:

        def connect_from(address: str) -> None:
            source = (address, 0)
            stack.enter_context(create_connection(listener.getsockname(), source_address=source))

        application.pools.note_store(network_of("127.0.2.1"), 1)
        for number in range(36):
            connect_from(f"127.0.1.{1 + number % 3}")
        connect_from("127.0.2.1")
        listener.settimeout(0)
        acceptor.close(listener)  # it accepts all of them
        waiting = application.pools.accepted.used
        groups = application.turns.waiting
        assert list(groups) == [NETWORKS, (NETWORKS, 1)]
        turns = [clients for group in groups.values() for clients in group.keys.values()]
        assert sum(map(len, turns)) == waiting
        for _ in range(100):
            await asyncio.sleep(0)
    assert waiting == len(connected) == 12
    assert connected.count("127.0.2.1") == 1
    assert application.pools.accepted.used == 0


async def test_the_clients_of_a_proxy_do_not_wait(application: Application) -> None:
    """Else requests on new connections, and checks of its health, wait behind a flood."""
    connected = list[str]()

    def connect_client(client: socket, address: str) -> bool:
        client.close()
        connected.append(address)
        return True

    settings = replace(Settings(), trusted_proxies=("127.0.0.1",))
    acceptor = Acceptor(application, connect_client, settings)
    with create_server(("127.0.0.1", 0), backlog=100) as listener, ExitStack() as stack:
        for _ in range(20):
            stack.enter_context(create_connection(listener.getsockname()))
        listener.settimeout(0)
        acceptor.close(listener)  # it accepts all of them
    assert connected == ["127.0.0.1"] * 20
