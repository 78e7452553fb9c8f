"""Expect: 100-continue, and requests to upgrade the connection."""

import pytest

from tests.http.expect import expect_clean_end, expect_error
from tests.http.fixtures import SQLITE_ONLY
from tests.http.raw import ALIVE, Connection, Message
from tests.service import Service

pytestmark = SQLITE_ONLY

FERN = b'{"id": 1, "name": "Fern"}'


@pytest.fixture
def create(token: str) -> Message:
    """A create that asks before it sends its body."""
    message = Message("POST", "/plants").adding("Authorization", f"Bearer {token}")
    return message.carrying(FERN).adding("Expect", "100-continue")


def test_a_body_that_would_be_read_is_asked_for(service: Service, create: Message) -> None:
    with Connection(service.origin) as connection:
        connection.send(create.head())
        interim = connection.receive()
        assert (interim.status, interim.headers) == (100, {})
        connection.send(FERN)
        assert not connection.receive().closes
        assert connection.ask(Message("GET", "/livez")).status == 200


@pytest.mark.parametrize("number", [0, 40001, 40101])
def test_a_body_that_comes_unasked_gets_one_answer(
    service: Service, create: Message, number: int
) -> None:
    messages = {
        0: create,
        40001: create.carrying(b"{"),
        40101: create.without("Authorization"),
    }
    with Connection(service.origin) as connection:
        connection.send(messages[number])
        answer = connection.receive()
        if answer.status == 100:  # it may be told once, though it is no use
            assert number != 40101
            answer = connection.receive()
        if number:
            expect_error(answer, number)
        else:
            assert answer.json == {"name": "Fern"}
        expect_clean_end(connection, answer)


def test_a_body_that_would_be_refused_is_not_asked_for(service: Service, create: Message) -> None:
    refused = {
        40101: create.without("Authorization"),
        40102: create.setting("Authorization", "Bearer x"),
        41501: create.setting("Content-Type", "text/plain"),
        41301: create.setting("Content-Length", "65537"),
        40402: create.aimed_at("/nowhere"),
        40403: create.aimed_at("/stores/nowhere/plants"),
    }
    for number, message in refused.items():
        with Connection(service.origin) as connection:
            connection.send(message.head())
            answer = connection.receive()
            expect_error(answer, number)
            # The client may send the body yet, or not: so nothing can follow on the connection.
            assert answer.closes
            assert connection.read_to_end() == b""


def test_an_old_client_gets_no_interim_answer(service: Service, create: Message) -> None:
    head = create.head().replace(b"HTTP/1.1", b"HTTP/1.0")
    with Connection(service.origin) as connection:
        connection.send(head + FERN)
        assert connection.receive().status == 200


def test_another_expectation_is_passed_over(service: Service, create: Message) -> None:
    with Connection(service.origin) as connection:
        assert connection.ask(create.setting("Expect", "the-worst")).status == 200


@pytest.mark.parametrize("protocol", ["websocket", "h2c"])
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_an_upgrade_is_passed_over(
    service: Service, create: Message, protocol: str, method: str
) -> None:
    message = create.without("Expect").adding("Connection", "Upgrade, HTTP2-Settings")
    message = message.adding("Upgrade", protocol).adding("Sec-WebSocket-Key", "x" * 22 + "==")
    if method == "GET":
        message = Message("GET", "/plants", message.without("Content-Type").headers)
    with Connection(service.origin) as connection:
        connection.send(message)
        answer = connection.receive()
        assert answer.status == 200
        assert not answer.closes


def test_what_follows_a_request_to_upgrade_is_read_as_before(
    service: Service, create: Message
) -> None:
    upgrade = Message("GET", "/livez").adding("Connection", "upgrade").adding("Upgrade", "h2c")
    with Connection(service.origin) as connection:
        connection.send(upgrade, create.without("Expect"), upgrade)
        assert connection.receive().json == ALIVE
        assert connection.receive().json == {"name": "Fern"}
        assert connection.receive().json == ALIVE


def upgrading(message: Message, connection: str = "Upgrade") -> Message:
    return message.adding("Connection", connection).adding("Upgrade", "h2c")


@pytest.mark.parametrize("piece", [1, 7, 100])
def test_a_request_to_upgrade_may_come_in_pieces(
    service: Service, create: Message, piece: int
) -> None:
    request = upgrading(create.without("Expect")).to_bytes()
    with Connection(service.origin) as connection:
        for start in range(0, len(request), piece):
            connection.send(request[start : start + piece])
        assert connection.receive().json == {"name": "Fern"}
        assert connection.ask(Message("GET", "/livez")).status == 200


def test_a_chunked_request_to_upgrade_is_read(service: Service, create: Message) -> None:
    chunked = upgrading(create.without("Expect")).adding("Transfer-Encoding", "chunked")
    with Connection(service.origin) as connection:
        connection.send(chunked.head() + b"19\r\n" + FERN + b"\r\n0\r\n\r\n")
        assert connection.receive().json == {"name": "Fern"}


def test_a_request_to_upgrade_may_want_the_end_of_the_connection(service: Service) -> None:
    with Connection(service.origin) as connection:
        answer = connection.ask(upgrading(Message("GET", "/livez"), "close, Upgrade"))
        assert answer.json == ALIVE
        assert answer.closes
        assert connection.read_to_end() == b""


def test_an_old_client_may_want_to_upgrade(service: Service) -> None:
    with Connection(service.origin) as connection:
        answer = connection.ask(upgrading(Message("GET", "/livez", (), version="HTTP/1.0")))
        assert answer.json == ALIVE
        assert answer.closes


@pytest.mark.parametrize("method", ["HEAD", "GET"])
def test_a_refused_request_to_upgrade_is_refused_in_its_form(service: Service, method: str) -> None:
    with Connection(service.origin) as connection:
        answer = connection.ask(upgrading(Message(method, "/livez", ())))
        expect_error(answer, 40011, method=method)
        assert connection.read_to_end() == b""
