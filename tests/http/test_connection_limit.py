"""Past ``max_connections``: who is busy stays, and who has left makes room."""

from collections.abc import Iterator
from contextlib import ExitStack
from itertools import count
from pathlib import Path

import pytest

from tests.http.blocking import FILLER, fill_store
from tests.http.expect import expect_error
from tests.http.fixtures import CREATES, LISTS, StoreFixture, make_fixture
from tests.http.raw import LIVE, Connection
from tests.service import Service
from tests.waiting import wait_until

_ids = count(10_000)


@pytest.fixture
def fixture(tmp_path: Path) -> Iterator[StoreFixture]:
    """A store in a service of four connections, of which one network has two."""
    with Service(tmp_path, settings={"max_connections": 4}) as running:
        yield make_fixture(running)


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    """What closes the test's connections at its end."""
    with ExitStack() as connections:
        yield connections


def connect(
    fixture: StoreFixture, stack: ExitStack, receive_buffer: int | None = None
) -> Connection:
    connection = Connection(fixture.service.origin, receive_buffer=receive_buffer)
    return stack.enter_context(connection)


def begin_create(fixture: StoreFixture, stack: ExitStack) -> tuple[Connection, bytes]:
    """A connection with a create whose body the service waits for, and that body."""
    create = fixture.message(CREATES[0]).adding("Expect", "100-continue")
    create = create.carrying(b'{"id": %d, "name": "Aloe"}' % next(_ids))
    connection = connect(fixture, stack)
    connection.send(create.head())
    assert connection.receive().status == 100
    return connection, create.body


def expect_no_room(fixture: StoreFixture, stack: ExitStack) -> None:
    """A newcomer, which stays open on its side, is refused."""
    newcomer = connect(fixture, stack)
    answer = newcomer.receive()
    expect_error(answer, 50301)
    assert answer.closes
    assert newcomer.read_to_end() == b""


def has_room(fixture: StoreFixture, stack: ExitStack) -> bool:
    """Whether a newcomer is served; those that are not stay open on their side."""
    newcomer = connect(fixture, stack)
    newcomer.send(LIVE)
    return newcomer.receive().status == 200


def test_busy_connections_are_not_closed_for_newcomers(
    fixture: StoreFixture, stack: ExitStack
) -> None:
    fill_store(fixture.service, fixture.store, 4000, size=250, filler=FILLER)
    creating, body = begin_create(fixture, stack)
    reading = connect(fixture, stack, receive_buffer=4096)
    reading.send(fixture.message(LISTS[0]))
    assert reading.has_data(10)
    for _ in range(5):
        expect_no_room(fixture, stack)
    creating.send(body)
    assert creating.receive().json == {"name": "Aloe"}
    assert len(reading.receive().json) == 4000


def test_who_has_left_makes_room_though_the_refused_linger(
    fixture: StoreFixture, stack: ExitStack
) -> None:
    (first, _), (second, body) = begin_create(fixture, stack), begin_create(fixture, stack)
    for _ in range(5):
        expect_no_room(fixture, stack)
    first.close()
    wait_until(lambda: has_room(fixture, stack))
    second.send(body)
    assert second.receive().json == {"name": "Aloe"}


def is_open(connection: Connection) -> bool:
    """Whether an idle connection was not closed by the service."""
    return not connection.has_data(0)


def test_the_longest_idle_makes_room_for_a_newcomer(
    fixture: StoreFixture, stack: ExitStack
) -> None:
    busy, body = begin_create(fixture, stack)
    idle = [connect(fixture, stack)]
    assert idle[0].ask(LIVE).status == 200
    for _ in range(3):
        idle.append(connect(fixture, stack))
        assert idle[-1].ask(LIVE).status == 200
    wait_until(lambda: [is_open(one) for one in idle] == [False, False, False, True])
    busy.send(body)
    assert busy.receive().json == {"name": "Aloe"}


def test_a_request_that_never_comes_makes_room(fixture: StoreFixture, stack: ExitStack) -> None:
    for _ in range(5):
        connect(fixture, stack).send(b"GET /livez HTTP/1.1\r\n")
    assert connect(fixture, stack).ask(LIVE).status == 200
