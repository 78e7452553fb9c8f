"""Bodies of requests, as bytes: by length, in chunks, invalid, too large, and unwanted."""

from dataclasses import replace

import pytest

from tests.http.expect import expect_clean_end, expect_error
from tests.http.raw import Connection, Message, exchange
from tests.service import Service

FERN = b'{"id": 1, "name": "Fern"}'
LAST = b"0\r\n\r\n"
BODY_MAX = 64 * 1024


def chunk(data: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(data), data)


@pytest.fixture
def create(token: str) -> Message:
    """A create without a body yet."""
    return Message("POST", "/plants").adding("Authorization", f"Bearer {token}").carrying(b"")


@pytest.fixture
def chunked(create: Message) -> Message:
    """A create whose body comes in chunks."""
    return create.adding("Transfer-Encoding", "chunked")


@pytest.mark.parametrize(
    "body",
    [
        chunk(FERN) + LAST,
        b"".join(chunk(bytes([byte])) for byte in FERN) + LAST,
        b"19;name=value;other\r\n" + FERN + b"\r\n" + LAST,
        b"00019\r\n" + FERN + b"\r\n000\r\n\r\n",
        chunk(FERN) + b"0\r\nX-Sum: 1\r\n\r\n",
    ],
)
@pytest.mark.parametrize("piece", [1, 1000])
def test_chunks_are_put_together(
    service: Service, chunked: Message, body: bytes, piece: int
) -> None:
    with Connection(service.origin) as connection:
        connection.send(chunked)
        for start in range(0, len(body), piece):
            connection.send(body[start : start + piece])
        answer = connection.receive()
        assert (answer.status, answer.body) == (200, b'{"name":"Fern"}')
        expect_clean_end(connection, answer)


@pytest.mark.parametrize(
    "body",
    [
        b"xyz\r\n",
        b"-1\r\n",
        b"+1\r\n",
        b"0x1\r\n",
        b" 1\r\n",
        b"\r\n",
        b"ffffffffffffffffff\r\n",
        b"2\r\nabc\r\n",
        b"1\nA\n0\n\n",
        b"3\r\nabc0\r\n\r\n",
        chunk(FERN) + b"0\r\nbad trailer\r\n\r\n",
        chunk(FERN) + b"zz\r\n",
    ],
)
def test_bad_chunks_are_refused(service: Service, chunked: Message, body: bytes) -> None:
    logged = len(service.log())
    for parts in ([chunked.to_bytes() + body], [chunked.to_bytes(), body]):
        with Connection(service.origin) as connection:
            for part in parts:
                connection.send(part)
            answer = connection.receive()
            expect_error(answer, 40011)
            assert answer.closes
            assert connection.read_to_end() == b""
    assert "Traceback" not in service.log()[logged:]


def test_an_old_client_has_no_chunks(service: Service, chunked: Message) -> None:
    message = replace(chunked, version="HTTP/1.0")
    answer = exchange(service.origin, message.head() + chunk(FERN) + LAST)
    expect_error(answer, 40011)
    assert "Transfer-Encoding is not allowed in HTTP/1.0" in answer.json["message"]


@pytest.mark.parametrize("coding", ["chunked", "Chunked", "CHUNKED", " chunked "])
def test_chunks_are_told_in_small_or_large_letters(
    service: Service, create: Message, coding: str
) -> None:
    message = create.setting("Transfer-Encoding", coding)
    answer = exchange(service.origin, message.head() + chunk(FERN) + LAST)
    assert (answer.status, answer.body) == (200, b'{"name":"Fern"}')


def test_trailers_are_no_headers(service: Service, chunked: Message) -> None:
    authorization = dict(chunked.headers)["Authorization"]
    message = chunked.without("Authorization")
    trailer = f"0\r\nAuthorization: {authorization}\r\n\r\n".encode()
    with Connection(service.origin) as connection:
        connection.send(message.to_bytes() + chunk(FERN) + trailer)
        expect_error(connection.receive(), 40101)


def test_tiny_chunks_are_bounded(service: Service, chunked: Message) -> None:
    body = FERN.ljust(BODY_MAX)
    for size, status in ((1, 431), (16, 200)):
        chunks = [chunk(body[start : start + size]) for start in range(0, BODY_MAX, size)]
        with Connection(service.origin) as connection:
            connection.send(chunked, *chunks, LAST)
            assert connection.receive().status == status


@pytest.mark.parametrize("start", [b"0\r\nX-More: ", b"0\r\nX", b"1;more="])
def test_what_is_around_chunks_is_refused_without_an_end(
    service: Service, chunked: Message, start: bytes
) -> None:
    with Connection(service.origin) as connection:
        connection.send(chunked.to_bytes() + chunk(FERN) + start)
        for _ in range(40):
            connection.send(b"x" * 1000)
        answer = connection.receive()
        expect_error(answer, 43101)
        assert answer.closes


@pytest.mark.parametrize("size", [BODY_MAX + 1, 20 * BODY_MAX])
def test_a_large_body_is_refused_and_the_refusal_can_be_read(
    service: Service, create: Message, size: int
) -> None:
    with Connection(service.origin) as connection:
        connection.send(create.carrying(FERN.ljust(size)))
        answer = connection.receive()
        expect_error(answer, 41301)
        expect_clean_end(connection, answer)


@pytest.mark.parametrize("pieces", [5, 80])
def test_large_chunks_are_refused_and_the_refusal_can_be_read(
    service: Service, chunked: Message, pieces: int
) -> None:
    with Connection(service.origin) as connection:
        connection.send(chunked)
        for _ in range(pieces):
            connection.send(chunk(b" " * 16384))
        connection.send(chunk(FERN) + LAST)
        answer = connection.receive()
        expect_error(answer, 41301)
        expect_clean_end(connection, answer)


@pytest.mark.parametrize("body", [FERN, b"x" * 100_000, b"GET /nowhere HTTP/1.1\r\n\r\n"])
def test_an_unwanted_body_is_passed_over(service: Service, token: str, body: bytes) -> None:
    for method in ("GET", "HEAD", "DELETE", "OPTIONS", "PUT"):
        target = "/plants/1" if method == "DELETE" else "/plants"
        plain = Message(method, target).adding("Authorization", f"Bearer {token}")
        expect_same_answer(service, plain, body)


def expect_same_answer(service: Service, plain: Message, body: bytes) -> None:
    """With the body, by its length or in chunks, the answer is as without."""
    method = plain.method
    with Connection(service.origin) as connection:
        expected = connection.ask(plain)
        with_length = connection.ask(plain.carrying(body))
        connection.send(plain.adding("Transfer-Encoding", "chunked"), chunk(body), LAST)
        in_chunks = connection.receive(method)
        for answer in (with_length, in_chunks):
            assert (answer.status, answer.body) == (expected.status, expected.body)
        expect_clean_end(connection, in_chunks)
