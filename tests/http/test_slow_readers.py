"""A client that reads slowly gets every byte of its responses, or times out."""

import ssl
from collections.abc import AsyncIterator, Callable, Iterator
from functools import partial
from itertools import cycle, islice
from pathlib import Path
from unittest.mock import AsyncMock, MagicMock

import pytest

from plantstore.server.messages import Stream
from plantstore.server.sender import Sender
from tests.certificates import make_certificate
from tests.http.blocking import FILLER, count_connections, fill_store
from tests.http.conftest import StartService
from tests.http.expect import expect_error
from tests.http.raw import ALIVE, LIVE, Connection, Message
from tests.service import Service
from tests.waiting import wait_until

SMALL = 4096  # bytes of the client's receive buffer
Connect = Callable[..., Connection]


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_certificate(tmp_path_factory.mktemp("certificate"))


@pytest.fixture(scope="module", params=["plain", "tls"])
def service(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, certificate: Path
) -> Iterator[Service]:
    """A service without and with TLS, whose log must have no traceback."""
    files = {"tls_cert": certificate, "tls_key": certificate.with_suffix(".key")}
    folder = tmp_path_factory.mktemp("slow")
    with Service(folder, settings=files if request.param == "tls" else {}) as running:
        yield running
        assert "Traceback" not in running.log()


@pytest.fixture
def connect(service: Service, certificate: Path) -> Connect:
    if service.origin.startswith("http:"):
        return partial(Connection, service.origin)
    return partial(Connection, service.origin, trust=ssl.create_default_context(cafile=certificate))


@pytest.fixture(scope="module")
def listing(service: Service) -> Message:
    """A list of 3000 plants with names of 100 characters, 400 bytes each."""
    return long_list(service, 3000)


def long_list(service: Service, count: int) -> Message:
    token = service.make_token()
    fill_store(service, "nursery", count, size=100, filler=FILLER)
    return Message("GET", "/plants").with_token(token)


@pytest.mark.parametrize(("limits", "count"), [((1000, 999, 998), 30), ((3000,), 5)])
def test_responses_to_a_slow_client_are_complete(
    connect: Connect, listing: Message, limits: tuple[int, ...], count: int
) -> None:
    messages = [listing.with_target(f"/plants?limit={limit}") for limit in limits]
    with connect() as quick:
        first, expected = ([quick.request(it).stable_parts for it in messages] for _ in range(2))
    assert [body for *_, body in first] == [body for *_, body in expected]  # from the cache
    assert all(len(body) > 390_000 for _, _, body in expected)
    requests = list(islice(cycle(messages), count))  # more than the sockets' buffers hold
    with connect(receive_buffer=SMALL) as slow:
        slow.send(*requests)
        for number in range(count):
            assert slow.receive().stable_parts == expected[number % len(expected)]
        assert slow.request(LIVE).json == ALIVE


@pytest.mark.parametrize("limit", [1, 1000, 3000])
def test_a_response_that_closes_the_connection_is_complete(
    connect: Connect, listing: Message, limit: int
) -> None:
    message = listing.with_target(f"/plants?limit={limit}")
    with connect() as quick:
        expected = quick.request(message)
    with connect(receive_buffer=SMALL) as slow:
        response = slow.request(message.with_header("Connection", "close"))
        assert response.body == expected.body
        assert response.closes
        assert slow.read_to_end() == b""


def test_an_error_can_be_read_although_sent_bytes_are_unread(
    connect: Connect, listing: Message
) -> None:
    chunked = Message("POST", "/plants").with_header("Transfer-Encoding", "chunked")
    create = Message("POST", "/plants", listing.headers).with_body(b"[" * 1_000_000)
    refused = {
        b"GET /livez HTTP/1.1\r\n\r\n": 40011,
        LIVE.with_header("X", "x" * 17000).to_bytes(): 43101,
        chunked.head() + b"xyz\r\n": 40101,
        create.to_bytes(): 41301,
    }
    for message, number in refused.items():
        with connect() as connection:
            connection.send(message, b"x" * 100_000)
            response = connection.receive()
            expect_error(response, number)
            if number != 41301:
                assert response.closes
                assert connection.read_to_end() == b""


def test_a_list_ends_at_stream_timeout_however_steadily_it_is_read(start: StartService) -> None:
    own = start(stream_timeout=0.5, body_timeout=60, max_streams=1)
    listing = long_list(own, 20_000)
    other_list = Message("HEAD", listing.target, listing.headers)
    received: list[bytes] = []
    with Connection(own.origin) as other, Connection(own.origin, receive_buffer=SMALL) as slow:
        slow.send(listing)

        def has_ended() -> bool:
            received.append(slow.read_some(1000))
            return other.request(other_list).status == 200

        wait_until(has_ended, pause=0)
        received.append(slow.read_to_end())  # the bytes already sent
    # Without the last chunk, the client can see that the list is incomplete.
    assert not received[-1].endswith(b"\r\n0\r\n\r\n")
    assert 0 < sum(map(len, received)) < 8_000_000


def test_reading_byte_by_byte_does_not_extend_the_timeout(start: StartService) -> None:
    own = start(body_timeout=0.5)
    with Connection(own.origin, receive_buffer=1024) as slow:
        slow.send(*[long_list(own, 1000)] * 30)

        def has_gone() -> bool:
            assert slow.read_some(1)
            return count_connections(own) == 0

        wait_until(has_gone)


def test_a_response_that_is_read_steadily_is_complete(start: StartService) -> None:
    own = start(body_timeout=3)
    listing = long_list(own, 1000).with_header("Connection", "close")
    with Connection(own.origin) as quick:
        expected = quick.request(listing).body
    received: list[bytes] = []
    with Connection(own.origin, receive_buffer=SMALL) as slow:
        slow.send(listing)

        def has_ended() -> bool:  # 400 KB by 4 KB each 50 ms: 5 s
            received.append(slow.read_some(4000))
            return not received[-1]

        wait_until(has_ended, pause=0.05)
    assert b"".join(received).endswith(expected)


@pytest.mark.anyio
@pytest.mark.parametrize("reads", [True, False])
async def test_a_trickling_stream_times_out_unless_the_client_reads_it(
    monkeypatch: pytest.MonkeyPatch, *, reads: bool
) -> None:
    """With a latency of a second: some bytes are unacknowledged at each check."""
    connections, sent, timeouts = MagicMock(now=0.0), list[int](), list[bool]()
    connections.settings.body_timeout = 10
    sender = Sender(MagicMock(is_closing=lambda: False), connections, "store")
    monkeypatch.setattr(sender, "_count_outstanding", lambda: sent[-1] if reads else sum(sent))

    async def send_parts() -> AsyncIterator[bytes]:
        for _ in range(30):
            connections.now += 1
            yield b"x" * 100
            sent.append(100)
            timeouts.append(sender.has_timed_out())

    stream = Stream(b"", send_parts(), AsyncMock(), stop=lambda: None)
    await sender.send_stream(b"", stream, chunked=False)
    assert any(timeouts) is not reads
