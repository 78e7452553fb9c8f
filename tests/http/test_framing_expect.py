"""Expect: 100-continue, and requests to upgrade the connection."""

import pytest

from tests.http.expect import expect_error
from tests.http.raw import Connection, Message
from tests.service import Service

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
        assert connection.receive().status == 200


def test_a_body_that_comes_unasked_is_read(service: Service, create: Message) -> None:
    with Connection(service.origin) as connection:
        connection.send(create)
        answer = connection.receive()
        while answer.status == 100:
            answer = connection.receive()
        assert answer.status == 200


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
            assert connection.rest() == b""


def test_an_old_client_gets_no_interim_answer(service: Service, create: Message) -> None:
    head = create.head().replace(b"HTTP/1.1", b"HTTP/1.0")
    with Connection(service.origin) as connection:
        connection.send(head + FERN)
        assert connection.receive().status == 200


def test_another_expectation_is_passed_over(service: Service, create: Message) -> None:
    with Connection(service.origin) as connection:
        assert connection.ask(create.setting("Expect", "the-worst")).status == 200


@pytest.mark.parametrize("protocol", ["websocket", "h2c", "TLS/1.0", "unknown"])
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


def test_what_follows_a_request_to_upgrade_is_read_as_before(service: Service, create: Message) -> None:
    upgrade = Message("GET", "/livez").adding("Connection", "upgrade").adding("Upgrade", "h2c")
    with Connection(service.origin) as connection:
        connection.send(upgrade, create.without("Expect"), upgrade)
        assert connection.receive().json == {"status": "live"}
        assert connection.receive().json == {"name": "Fern"}
        assert connection.receive().json == {"status": "live"}
