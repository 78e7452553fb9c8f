"""Expect: 100-continue, and requests to upgrade the connection."""

import pytest

from tests.http.expect import expect_clean_end, expect_error
from tests.http.raw import ALIVE, Connection, Message
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


def upgrading(message: Message, connection: str = "Upgrade") -> Message:
    return message.adding("Connection", connection).adding("Upgrade", "h2c")


def test_a_request_to_upgrade_is_read_as_any_other(service: Service, create: Message) -> None:
    live = upgrading(Message("GET", "/livez"))
    with Connection(service.origin) as connection:
        connection.send(live, upgrading(create.without("Expect"), "Upgrade, HTTP2-Settings"), live)
        assert connection.receive().json == ALIVE
        assert connection.receive().json == {"name": "Fern"}
        answer = connection.receive()
        assert answer.json == ALIVE
        assert not answer.closes


@pytest.mark.parametrize(
    "message",
    [
        upgrading(Message("GET", "/livez"), "close, Upgrade"),
        upgrading(Message("GET", "/livez", (), version="HTTP/1.0")),
    ],
)
def test_a_request_to_upgrade_may_be_the_last(service: Service, message: Message) -> None:
    with Connection(service.origin) as connection:
        answer = connection.ask(message)
        assert answer.json == ALIVE
        assert answer.closes
        assert connection.read_to_end() == b""


def test_a_bad_request_to_upgrade_is_refused_in_its_form(service: Service) -> None:
    with Connection(service.origin) as connection:
        answer = connection.ask(upgrading(Message("HEAD", "/livez", ())))
        expect_error(answer, 40011, method="HEAD")
        assert connection.read_to_end() == b""
