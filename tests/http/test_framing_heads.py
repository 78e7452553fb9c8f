"""Heads of requests, as bytes: which are read, which are refused, and never a fault of ours."""

import pytest

from tests.http.expect import expect_clean_end, expect_error
from tests.http.raw import ALIVE, LIVE, Connection, Message, exchange
from tests.service import Service

HEAD_MAX = 16 * 1024


def listing(token: str) -> Message:
    return Message("GET", "/plants").adding("Authorization", f"Bearer {token}")


def padded(size: int) -> bytes:
    """A head of this many bytes, of long headers."""
    message = LIVE
    while left := size - len(message.head()):
        message = message.adding("X-Pad", "x" * (min(left, 6000) - len("X-Pad: \r\n")))
    return message.head()


def test_a_head_may_come_in_single_bytes(service: Service, token: str) -> None:
    with Connection(service.origin) as connection:
        for byte in listing(token).to_bytes():
            connection.send(bytes([byte]))
        assert connection.receive().body == b"[]"


def send_in_pieces(connection: Connection, data: bytes, piece: int) -> None:
    """Send the data so that the service sees it in pieces, unless it answers before."""
    for start in range(0, len(data), piece):
        if connection.has_data(0.02):
            return
        connection.send(data[start : start + piece])


@pytest.mark.parametrize("piece", [1000, 5000, HEAD_MAX - 300, HEAD_MAX])
def test_a_head_up_to_the_bound_is_read(service: Service, piece: int) -> None:
    with Connection(service.origin) as connection:
        send_in_pieces(connection, padded(HEAD_MAX - 200), piece)
        assert connection.receive().status == 200


@pytest.mark.parametrize("size", [17 * 1024, 60 * 1024])
@pytest.mark.parametrize("piece", [1000, 5000, 16_000, 17_400, 60_000, 100_000])
def test_a_head_over_the_bound_is_refused(service: Service, size: int, piece: int) -> None:
    with Connection(service.origin) as connection:
        send_in_pieces(connection, padded(size), piece)
        answer = connection.receive()
        expect_error(answer, 43101)
        expect_clean_end(connection, answer)


@pytest.mark.parametrize("piece", [1000, 20_000])
def test_a_head_without_an_end_is_refused(service: Service, piece: int) -> None:
    head = b"GET /livez HTTP/1.1\r\nHost: x\r\n" + (b"X-More: " + b"x" * 990 + b"\r\n") * 40
    with Connection(service.origin) as connection:
        send_in_pieces(connection, head, piece)
        expect_error(connection.receive(), 43101)


@pytest.mark.parametrize(("count", "status"), [(99, 200), (100, 431), (1000, 431)])
def test_headers_are_counted(service: Service, count: int, status: int) -> None:
    message = LIVE
    for _ in range(count):
        message = message.adding("X", "")
    assert exchange(service.origin, message).status == status


@pytest.mark.parametrize(
    "name", ["Host", "Authorization", "Content-Type", "Content-Length", "Idempotency-Key"]
)
def test_a_header_that_must_be_single_is_refused_twice(service: Service, name: str) -> None:
    for value in ("1", "2"):
        message = LIVE.without(name).adding(name, "1").adding(name.upper(), value)
        answer = exchange(service.origin, message)
        expect_error(answer, 40011)
        assert answer.closes


def test_other_headers_may_be_repeated(service: Service) -> None:
    message = LIVE.adding("Accept", "a/b").adding("Accept", "c/d").adding("If-None-Match", "*")
    assert exchange(service.origin, message.adding("If-None-Match", '"x"')).status == 200


@pytest.mark.parametrize(
    "head",
    [
        b"\r\nGET /livez HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET  /livez HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET /livez HTTP/1.1\r\nhOsT:x\r\n\r\n",
        b"GET /livez HTTP/1.1\r\nHost:\t x \t\r\n\r\n",
        b"GET /livez HTTP/1.1\r\nHost:\r\n\r\n",
        b"GET /livez HTTP/1.1\r\nHost: x\r\nX:\r\n\r\n",
        b"GET /livez HTTP/1.1\r\nHost: x\r\nX: \xff\xe9\r\n\r\n",
    ],
)
def test_odd_but_right_heads_are_read(service: Service, head: bytes) -> None:
    assert exchange(service.origin, head).status == 200


def test_a_head_is_refused_though_its_lines_came_behind_a_blank_one(service: Service) -> None:
    message = LIVE.adding("X", "behind a blank line").to_bytes()
    for _ in range(2):
        assert exchange(service.origin, b"\r\n" + message).status == 200
        expect_error(exchange(service.origin, b"GET /livez HTTP/1.1\r\n" + message), 40011)


@pytest.mark.parametrize("headers", [(), (("Host", "x"),), (("Connection", "close"),)])
def test_an_old_client_is_answered_and_left(
    service: Service, headers: tuple[tuple[str, str], ...]
) -> None:
    with Connection(service.origin) as connection:
        answer = connection.ask(Message("GET", "/livez", headers, version="HTTP/1.0"))
        assert answer.json == ALIVE
        assert answer.closes
        assert connection.read_to_end() == b""


def test_an_old_client_may_keep_the_connection(service: Service, token: str) -> None:
    keeping = (("Connection", "Keep-Alive"), ("Authorization", f"Bearer {token}"))
    message = Message("GET", "/plants", keeping, version="HTTP/1.0")
    with Connection(service.origin) as connection:
        for _ in range(3):
            answer = connection.ask(message)
            assert (answer.status, answer.body) == (200, b"[]")
            assert answer.headers["connection"] == "keep-alive"
        assert connection.ask(message.without("Connection")).closes
        assert connection.read_to_end() == b""


def test_a_length_may_have_leading_zeros(service: Service, token: str) -> None:
    body = b'{"id": 1, "name": "Fern"}'
    create = Message("POST", "/plants").adding("Authorization", f"Bearer {token}").carrying(body)
    padded = create.adding("Content-Length", "0" * 5000 + str(len(body)))
    assert exchange(service.origin, padded).status == 200
