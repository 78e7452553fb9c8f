"""Clients that shut down sending, and clients that disconnect."""

import asyncio
import socket
from collections.abc import Callable, Iterator

import pytest

from plantstore.server.sockets import count_unacknowledged, count_unread
from tests.http.blocking import FILLER, blocked_writes, count_connections, fill_store, new_plant
from tests.http.expect import expect_error
from tests.http.fixtures import CREATES, DELETES, LISTS, StoreFixture
from tests.http.raw import ALIVE, LIVE, Connection
from tests.service import Service
from tests.waiting import wait_until

FERN = b'[{"id":1,"name":"Fern"}]'


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A service that sends one long list at a time, and whose log must be quiet."""
    with Service(tmp_path_factory.mktemp("leaving"), settings={"max_streams": 1}) as running:
        yield running
        assert "Traceback" not in running.log()
        assert "ERROR" not in running.log()


@pytest.fixture
def full_store(fixture: StoreFixture) -> StoreFixture:
    """A store with 4000 plants of a kilobyte each."""
    fill_store(fixture.service, fixture.store, 4000, size=250, filler=FILLER)
    return fixture


def wait_for_no_connections(service: Service) -> None:
    wait_until(lambda: count_connections(service) == 0)


@pytest.mark.parametrize("pipelined", [0, 20])  # 20 take two turns of the connection
def test_a_truncated_request_is_refused(fixture: StoreFixture, pipelined: int) -> None:
    create = fixture.message(CREATES[0])
    chunked = create.with_header("Transfer-Encoding", "chunked")
    whole = create.to_bytes()
    for sent in (create.head(), whole[:-1], chunked.head() + b"5\r\n{", whole[:20]):
        with Connection(fixture.service.origin) as connection:
            connection.send(*[LIVE] * pipelined, sent)
            connection.finish_sending()
            for _ in range(pipelined):
                # The requests before it get their responses.
                assert connection.receive().json == ALIVE
            refusal = connection.receive("POST")
            expect_error(refusal, 40011)
            assert "is incomplete" in refusal.json["message"]
            assert connection.read_to_end() == b""
    assert fixture.plants() == FERN


@pytest.mark.parametrize("sent", [b"", b"\r\n"])
def test_a_connection_without_a_request_gets_no_response(service: Service, sent: bytes) -> None:
    with Connection(service.origin) as connection:
        connection.send(sent)
        connection.finish_sending()
        assert connection.read_to_end() == b""


@pytest.mark.parametrize("limit", [1000, 4000])
def test_a_half_closed_connection_gets_its_whole_response(
    full_store: StoreFixture, limit: int
) -> None:
    large = full_store.message(LISTS[0]).with_target(f"/plants?limit={limit}&include=id")
    with Connection(full_store.service.origin, receive_buffer=4096) as connection:
        connection.send(large)
        connection.finish_sending()
        response = connection.receive()
        assert connection.read_to_end() == b""
    assert response.status == 200
    assert [(plant["id"], plant["name"]) for plant in response.json] == [
        (number, f"{number:06}".ljust(250, FILLER)) for number in range(1, limit + 1)
    ]


@pytest.mark.parametrize("disconnect", [Connection.reset, Connection.close])
def test_a_client_that_disconnects_during_a_list_frees_its_stream(
    full_store: StoreFixture, disconnect: Callable[[Connection], None]
) -> None:
    listing = full_store.message(LISTS[0])
    for _ in range(3):
        slow = Connection(full_store.service.origin, receive_buffer=4096)
        slow.send(listing, LIVE)
        assert slow.has_data(10)
        disconnect(slow)
        wait_until(lambda: len(full_store.send(listing).body) > 4_000_000)
    wait_for_no_connections(full_store.service)


def test_disconnects_before_the_response_do_not_affect_others(fixture: StoreFixture) -> None:
    create = fixture.message(CREATES[0])
    with blocked_writes(fixture.service):
        for _ in range(20):
            with Connection(fixture.service.origin) as connection:
                connection.send(create.with_body(new_plant()), create)
                connection.reset()
        with Connection(fixture.service.origin) as other:
            assert other.request(LIVE).status == 200
    assert fixture.send(fixture.message(DELETES[0])).status == 204
    wait_for_no_connections(fixture.service)


class AbortedConnection(asyncio.Protocol):
    """Aborts its connection as soon as it is accepted."""

    def __init__(self) -> None:
        self.is_over = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        transport.abort()

    def connection_lost(self, _error: Exception | None) -> None:
        self.is_over.set_result(None)


def test_a_lost_connection_has_no_unread_or_unacknowledged_bytes() -> None:
    """A stream may still ask for the counts before it is cancelled."""

    async def lose() -> tuple[int, int]:
        lost = AbortedConnection()
        server = await asyncio.get_running_loop().create_server(lambda: lost, "127.0.0.1", 0)
        async with server:
            with socket.create_connection(server.sockets[0].getsockname()):
                await lost.is_over
        return count_unread(lost.transport), count_unacknowledged(lost.transport)

    assert asyncio.run(lose()) == (0, 0)
