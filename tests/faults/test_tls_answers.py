"""Over TLS answers come as they do without it: each byte of them, refusals and ends too."""

import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import cycle, islice
from pathlib import Path

import pytest

from tests.faults.test_tls import make_certificate
from tests.http.blocking import FILLER, fill_store
from tests.http.expect import expect_error
from tests.http.raw import ALIVE, Connection, Message
from tests.service import Service

SMALL = 4096  # bytes that the client's side holds
COUNT = 3000
LIVE = Message("GET", "/livez")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The service's folder, which has its certificate."""
    return make_certificate(tmp_path_factory.mktemp("tls"))


@pytest.fixture(scope="module")
def service(folder: Path) -> Iterator[Service]:
    """A service that speaks TLS, and whose log must be quiet."""
    files = {"tls_cert": folder / "cert.pem", "tls_key": folder / "key.pem"}
    with Service(folder, settings=files) as running:
        yield running
        assert "Traceback" not in running.log()


@pytest.fixture(scope="module")
def listing(service: Service) -> Message:
    """A list of 3000 plants of 400 bytes each."""
    token = service.make_token()
    fill_store(service, "nursery", COUNT, size=100, filler=FILLER)
    return Message("GET", "/plants").adding("Authorization", f"Bearer {token}")


@contextmanager
def connect(
    service: Service, folder: Path, receive_buffer: int | None = None
) -> Iterator[Connection]:
    trust = ssl.create_default_context(cafile=str(folder / "cert.pem"))
    with Connection(service.origin, receive_buffer=receive_buffer, trust=trust) as connection:
        yield connection


def test_whole_answers_that_wait_for_their_client_come_whole(
    service: Service, folder: Path, listing: Message
) -> None:
    messages = [listing.aimed_at(f"/plants?limit={count}") for count in (1000, 999)]
    with connect(service, folder) as quick:
        expected = [quick.ask(message).body for message in messages]
    assert [len(body) > 390_000 for body in expected] == [True, True]
    with connect(service, folder, SMALL) as slow:
        slow.send(*islice(cycle(messages), 30))  # 12 MB: more than sockets hold
        for number in range(30):
            assert slow.receive().body == expected[number % 2]
        assert slow.ask(LIVE).json == ALIVE


def test_streamed_lists_that_wait_for_their_client_come_whole(
    service: Service, folder: Path, listing: Message
) -> None:
    with connect(service, folder) as quick:
        expected = quick.ask(listing)
    assert len(expected.json) == COUNT
    with connect(service, folder, SMALL) as slow:
        slow.send(*[listing] * 5)
        for _ in range(5):
            answer = slow.receive()
            assert answer.headers["transfer-encoding"] == "chunked"
            assert answer.body == expected.body
        assert slow.ask(LIVE).json == ALIVE


@pytest.mark.parametrize("limit", [1, 1000, COUNT])
def test_an_answer_that_ends_the_connection_comes_whole(
    service: Service, folder: Path, listing: Message, limit: int
) -> None:
    message = listing.aimed_at(f"/plants?limit={limit}")
    with connect(service, folder) as connection:
        expected = connection.ask(message).body
        assert connection.ask(message).body == expected
    with connect(service, folder, SMALL) as connection:
        answer = connection.ask(message.adding("Connection", "close"))
        assert answer.body == expected
        assert answer.closes
        assert connection.read_to_end() == b""


@pytest.mark.parametrize(
    ("request_bytes", "number"),
    [
        (b"GET /livez HTTP/1.1\r\n\r\n", 40011),
        (LIVE.adding("X", "x" * 17000).to_bytes(), 43101),
        (
            Message("POST", "/plants").adding("Transfer-Encoding", "chunked").head() + b"xyz\r\n",
            40101,
        ),
    ],
)
def test_a_refusal_can_be_read(
    service: Service, folder: Path, request_bytes: bytes, number: int
) -> None:
    with connect(service, folder) as connection:
        # What the service leaves unread must not take the refusal with it.
        connection.send(request_bytes, b"x" * 100_000)
        answer = connection.receive()
        expect_error(answer, number)
        assert answer.closes
        assert connection.read_to_end() == b""


def test_a_large_body_is_refused_and_the_refusal_can_be_read(
    service: Service, folder: Path, listing: Message
) -> None:
    create = Message("POST", "/plants", listing.headers).carrying(b"[" * 1_000_000)
    with connect(service, folder) as connection:
        connection.send(create)
        expect_error(connection.receive(), 41301)
