"""At ``max_connections``, busy connections stay and idle ones close for new clients."""

from collections.abc import Iterator
from contextlib import ExitStack, suppress

import pytest

from tests.http.blocking import FILLER, fill_store, new_plant
from tests.http.conftest import StartService
from tests.http.expect import expect_error
from tests.http.fixtures import CREATES, LISTS, make_fixture
from tests.http.raw import LIVE, Connection
from tests.service import Service
from tests.waiting import wait_until


class Clients:
    """Open connections to a service that allows eight: four of the first store, then two and so on.

    ``first`` and ``fixture`` have the first and the last store.
    """

    def __init__(self, service: Service, stack: ExitStack) -> None:
        self._fixtures = [make_fixture(service) for _ in range(4)]
        self.first, self.fixture = self._fixtures[0], self._fixtures[-1]
        self._stack = stack

    def connect(self, receive_buffer: int | None = None) -> Connection:
        connection = Connection(self.fixture.service.origin, receive_buffer=receive_buffer)
        return self._stack.enter_context(connection)

    def begin_create(self, store: int = 0) -> tuple[Connection, bytes]:
        """A connection on which the service waits for the body of a create; and the body."""
        create = self._fixtures[store].message(CREATES[0]).with_header("Expect", "100-continue")
        create = create.with_body(new_plant())
        connection = self.connect()
        connection.send(create.head())
        assert connection.receive().status == 100
        return connection, create.body

    def begin_creates(self, count: int) -> list[tuple[Connection, bytes]]:
        return [self.begin_create(store) for store in (0, 0, 0, 0, 1, 1, 2, 3)[:count]]

    def expect_no_room(self) -> None:
        for _ in range(5):
            newcomer = self.connect()
            response = newcomer.receive()
            expect_error(response, 50301)
            assert response.closes
            assert newcomer.read_to_end() == b""

    def has_room(self) -> bool:
        return self.connect().request(LIVE).status == 200


@pytest.fixture
def clients(start: StartService) -> Iterator[Clients]:
    with ExitStack() as stack:
        yield Clients(start(max_connections=8), stack)


def finish(creating: Connection, body: bytes) -> None:
    creating.send(body)
    assert creating.receive().json == {"name": "Aloe"}


def test_busy_connections_are_not_closed_for_newcomers(clients: Clients) -> None:
    fill_store(clients.fixture.service, clients.fixture.store, 4000, size=250, filler=FILLER)
    creating = clients.begin_creates(7)
    reading = clients.connect(receive_buffer=4096)
    reading.send(clients.fixture.message(LISTS[0]))
    assert reading.has_data(10)
    clients.expect_no_room()
    for connection, body in creating:
        finish(connection, body)
    assert len(reading.receive().json) == 4000


def test_busy_connections_beyond_a_stores_share_are_closed(clients: Clients) -> None:
    creating = [clients.begin_create() for _ in range(4)]
    for _ in range(9):
        beyond = clients.connect()
        with suppress(ConnectionResetError, BrokenPipeError):
            beyond.send(clients.first.message(LISTS[0]))
            assert beyond.read_to_end() == b""
    assert clients.connect().request(clients.fixture.message(LISTS[0])).status == 200
    for connection, body in creating:
        finish(connection, body)


def test_a_closed_connection_makes_room(clients: Clients) -> None:
    (first, _), *others = clients.begin_creates(8)
    clients.expect_no_room()
    first.close()
    wait_until(clients.has_room)
    for connection, body in others:
        finish(connection, body)


def test_the_longest_idle_connection_is_closed_for_a_newcomer(clients: Clients) -> None:
    busy, body = clients.begin_create()
    idle: list[Connection] = []
    for _ in range(4):
        idle.append(clients.connect())
        assert idle[-1].request(LIVE).status == 200
        assert not idle[-1].has_data(0.15)  # more than a tick: each is older than the next
    wait_until(
        lambda: [connection.has_data(0) for connection in idle] == [True, False, False, False]
    )
    finish(busy, body)


def test_connections_with_an_incomplete_head_make_room(clients: Clients) -> None:
    for _ in range(9):
        clients.connect().send(b"GET /livez HTTP/1.1\r\n")
    assert clients.has_room()
