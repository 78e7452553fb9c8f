"""Connections: pipelined requests, memory, and timeouts."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import ExitStack

import pytest

from tests.http.blocking import (
    FILLER,
    blocked_writes,
    count_connections,
    fill_store,
    memory_grows_at_most,
    peak_memory,
)
from tests.http.conftest import StartService
from tests.http.expect import expect_error
from tests.http.fixtures import CREATES, DELETES, LISTS, StoreFixture, make_fixture
from tests.http.framing import LISTING, expect_responses, kept_open, upgrading
from tests.http.raw import ALIVE, LIVE, Connection, Message
from tests.service import Service
from tests.waiting import wait_until


def test_pipelined_requests_get_their_responses_in_order(fixture: StoreFixture) -> None:
    create, listing, delete = (fixture.message(route[0]) for route in (CREATES, LISTS, DELETES))
    fern, aloe = {"name": "Fern"}, {"name": "Aloe", "tag": "succulent"}
    with Connection(fixture.service.origin) as connection:
        connection.send(listing, create, listing, create, delete, delete, LIVE, listing)
        connection.finish_sending()
        assert connection.receive().json == [fern]
        assert connection.receive().json == aloe
        assert connection.receive().json == [fern, aloe]
        assert connection.receive().number == 40004
        assert connection.receive().status == 204
        assert connection.receive().number == 40401
        assert connection.receive().json == ALIVE
        assert connection.receive().json == [aloe]
        assert connection.read_to_end() == b""


def test_mixed_pipelined_requests_in_any_pieces_get_responses_in_order(
    service: Service, store: str
) -> None:
    chunks = b"2\r\n{}\r\n0\r\nX-Sum: 1\r\n\r\n"
    refused = Message("POST", "/plants").with_body(b"")
    requests: dict[bytes, int | bytes] = {
        LIVE.to_bytes(): 200,
        b"\r\n" + LIVE.to_bytes(): 200,
        LIVE.with_body(b"x" * 5000).to_bytes(): 200,
        LIVE.with_header("X-Long", "x" * 9000).to_bytes(): 200,
        LIVE.with_header("X-Request-Id", "own").to_bytes(): 200,
        upgrading(LIVE).to_bytes(): 200,
        Message("GET", "/" + "x" * 6000).to_bytes(): 40402,
        refused.with_body(b"{}").to_bytes(): 40101,
        refused.with_body(b"x" * 100_000).to_bytes(): 40101,
        upgrading(refused.with_body(b"{}")).to_bytes(): 40101,
        refused.with_header("Transfer-Encoding", "chunked").to_bytes() + chunks: 40101,
        upgrading(refused.with_header("Transfer-Encoding", "chunked")).to_bytes() + chunks: 40101,
        Message("DELETE", "/plants/1").to_bytes(): 40101,
        Message("OPTIONS", "/plants").to_bytes(): 204,
        LISTING.to_bytes(): b"[]",
    }
    forward, back = list(requests), list(reversed(requests))
    for order in (forward, back, forward[::2] + forward[1::2]):
        case = kept_open(b"".join(order), *(requests[request] for request in order))
        expect_responses(service, store, case)


# Memory


def test_a_flood_of_pipelined_requests_uses_little_memory(start: StartService) -> None:
    own, flood = start(), b"GET /livez HTTP/1.1\r\nHost:\r\n\r\n" * 1_000_000
    with Connection(own.origin) as connection, ThreadPoolExecutor(1) as threads:
        with memory_grows_at_most(own, 10_000_000):
            threads.submit(connection.send, flood)
            for _ in range(2000):
                assert connection.receive().json == ALIVE
        connection.finish_sending()


@pytest.mark.parametrize("part", ["head", "body"])
def test_abandoned_requests_use_no_memory(start: StartService, part: str) -> None:
    own = start()
    message = LIVE.with_header("X", "x" * 15_000)
    if part == "body":
        message = make_fixture(own).message(CREATES[0]).with_body(b"x" * 60_000)
    with memory_grows_at_most(own, 50_000_000):
        for _ in range(15):
            with ExitStack() as stack:
                for _ in range(200):
                    connection = stack.enter_context(Connection(own.origin))
                    connection.send(message.to_bytes()[:-1])
                with Connection(own.origin) as connection:
                    assert connection.request(LIVE).status == 200


def test_refused_bodies_are_freed(start: StartService) -> None:
    own = start()
    create = make_fixture(own).message(CREATES[0]).with_body(b"[%s1]" % (b"1," * 30_000))
    with Connection(own.origin) as connection, memory_grows_at_most(own, 20_000_000):
        for _ in range(300):
            assert connection.request(create).status == 400


def test_an_unwanted_body_uses_little_memory(start: StartService) -> None:
    own = start()
    fixture = make_fixture(own)
    delete = fixture.message(DELETES[0]).with_header("Content-Length", "200000000")
    with (
        Connection(own.origin) as connection,
        ThreadPoolExecutor(1) as threads,
        memory_grows_at_most(own, 20_000_000),
    ):
        before = peak_memory(own)
        with blocked_writes(own):
            connection.send(delete)
            # The service stops reading, or discards what it reads.
            sending = threads.submit(connection.send, b"x" * 200_000_000)
            wait([sending], timeout=1)
            assert peak_memory(own) - before < 20_000_000
        assert connection.receive().status == 204
        sending.result()
        assert connection.request(LIVE).status == 200


# Timeouts


def test_connections_with_unread_responses_are_closed(start: StartService) -> None:
    own = start(body_timeout=0.5)
    fixture = make_fixture(own)
    fill_store(own, fixture.store, 1000, size=250, filler=FILLER)
    listing = fixture.message(LISTS[0])
    with ExitStack() as stack:
        # Each pipeline exceeds the sockets' buffers by less than the service would wait for.
        for megabytes in range(5):
            for count in range(0, 1000, 50):
                last = listing.with_target(f"/plants?limit={count}").with_header(
                    "Connection", "close"
                )
                connection = Connection(own.origin, receive_buffer=1024)
                stack.enter_context(connection).send(*[listing] * megabytes, last)
        wait_until(lambda: count_connections(own) == 0)


@pytest.fixture(scope="module")
def short_timeouts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A service with short timeouts."""
    settings = {"idle_timeout": 0.5, "head_timeout": 0.5, "body_timeout": 0.5}
    with Service(tmp_path_factory.mktemp("impatient"), settings=settings) as running:
        yield running


@pytest.fixture
def create(short_timeouts: Service) -> Message:
    """A create. Request it before ``waiting``, whose connection may time out meanwhile."""
    return make_fixture(short_timeouts).message(CREATES[0])


@pytest.fixture
def waiting(short_timeouts: Service) -> Iterator[Connection]:
    with Connection(short_timeouts.origin) as connection:
        yield connection


def test_requests_behind_a_slow_request_do_not_time_out(
    create: Message, short_timeouts: Service, waiting: Connection
) -> None:
    with blocked_writes(short_timeouts):
        waiting.send(create, *[LIVE] * 300)
        assert not waiting.has_data(1)
    assert waiting.receive().json == {"name": "Aloe", "tag": "succulent"}
    for _ in range(300):
        assert waiting.receive().json == ALIVE


@pytest.mark.parametrize(
    ("sent", "status", "late"),
    [
        (LIVE, 200, b""),
        (LIVE, 200, b"\r\n"),
        (Message("POST", "/plants").with_header("Content-Length", "2"), 401, b"{}"),
        (
            LIVE.with_header("Content-Length", "5"),
            200,
            b"",
        ),  # whose missing body gets no second response
    ],
)
def test_an_idle_connection_is_closed(
    waiting: Connection, sent: Message, status: int, late: bytes
) -> None:
    assert waiting.request(sent).status == status
    waiting.send(late)
    assert waiting.read_to_end() == b""


def test_a_connection_without_any_request_is_closed(waiting: Connection) -> None:
    assert waiting.read_to_end() == b""


@pytest.mark.parametrize(
    "rest", [b"xyz\r\n", b"19000\r\n" + b"x" * 0x19000 + b"\r\n1;" + b"x" * 50_000]
)
def test_invalid_chunks_of_an_unwanted_body_close_the_connection(
    start: StartService, rest: bytes
) -> None:
    with Connection(start(body_timeout=1000).origin) as connection:
        assert connection.request(LIVE.with_header("Transfer-Encoding", "chunked")).status == 200
        connection.send(rest)
        assert connection.read_to_end() == b""


@pytest.mark.parametrize("number", [40802, 40101, 40801])
def test_trickling_bytes_do_not_extend_a_timeout(
    create: Message, waiting: Connection, number: int
) -> None:
    begun = {
        40802: b"GET /livez HTTP/1.1\r\nX: ",
        40101: Message("POST", "/plants").with_header("Content-Length", "60000").to_bytes(),
        40801: create.replacing_header("Content-Length", "60000").head(),
    }
    waiting.send(begun[number])

    def has_response() -> bool:
        waiting.send(b"x")
        return waiting.has_data(0.05)

    wait_until(has_response)
    expect_error(waiting.receive(), number)
    assert waiting.read_to_end() == b""
