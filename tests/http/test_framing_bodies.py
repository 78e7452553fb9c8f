"""Bodies of requests, as bytes: by length, in chunks, invalid, too large, and unwanted."""

import asyncio
import math
from dataclasses import replace

import pytest

from plantstore.core.errors import RequestError
from plantstore.server.body import ChunkedBody
from tests.http.expect import expect_clean_end, expect_error
from tests.http.framing import (
    CHUNKED,
    CREATE,
    FERN,
    LAST,
    LISTING,
    Case,
    answered,
    chunk,
    ended,
    expect_responses,
    upgrading,
)
from tests.http.raw import ALIVE, LIVE, Connection, Message, exchange
from tests.service import Service

BODY_MAX = 64 * 1024
CREATED = b'{"name":"Fern"}'
ANONYMOUS = CHUNKED.without("Authorization")
AUTHORIZATION = b"Authorization: Bearer TOKEN\r\n"
LARGE = FERN.ljust(BODY_MAX)


def chunked(*parts: bytes, head: Message = CHUNKED) -> bytes:
    return head.head() + b"".join(parts)


def chunks_of(size: int) -> bytes:
    """The largest body in chunks of a size."""
    return b"".join(chunk(LARGE[start : start + size]) for start in range(0, BODY_MAX, size))


def by(*headers: tuple[str, str]) -> bytes:
    """A body of 25 bytes whose length these headers tell."""
    return Message("POST", "/plants", (("Host", "x"), *headers)).head() + FERN


CHUNKINGS = (
    *(chunk(FERN) + LAST, b"".join(chunk(bytes([byte])) for byte in FERN) + LAST),
    b"19;name=value;other\r\n" + FERN + b"\r\n" + LAST,
    b"00019\r\n" + FERN + b"\r\n000\r\n\r\n",
    *(chunk(FERN) + b"0\r\nX-Sum: 1\r\n\r\n", chunks_of(16) + LAST),
)
CODINGS = [CREATE.adding("Transfer-Encoding", it) for it in ("Chunked", "CHUNKED", " chunked ")]
READ = [
    *(answered(chunked(body), CREATED) for body in CHUNKINGS),
    *(answered(chunked(chunk(FERN), LAST, head=head), CREATED) for head in CODINGS),
    # Trailers are no headers.
    answered(chunked(chunk(FERN), b"0\r\n", AUTHORIZATION, b"\r\n", head=ANONYMOUS), 40101),
    *(answered(CREATE.carrying(FERN.ljust(size)), 41301) for size in (BODY_MAX + 1, 20 * BODY_MAX)),
    *(answered(chunked(*it * [chunk(b" " * 16384)], chunk(FERN), LAST), 41301) for it in (5, 80)),
]
BAD_CODINGS = (
    *("gzip", "identity", "chunked, identity", "gzip, chunked", "identity, chunked", ""),
    *("chunked, chunked", "chunked;q=1", "chunked,", "xchunked"),
)
BAD_LENGTHS = ("25, 25", "-1", "+25", "0x19", "2 5", "2_5", "25.0", "", "9" * 40)
TWO_LENGTHS = (
    [("Content-Length", "25"), ("Transfer-Encoding", "chunked")],
    [("Transfer-Encoding", "chunked"), ("Content-Length", "25")],
    [("Transfer-Encoding", "gzip"), ("Transfer-Encoding", "chunked")],
    [("Transfer-Encoding", "chunked"), ("Transfer-Encoding", "identity")],
    *([("Content-Length", "25"), ("Content-Length", other)] for other in ("25", "24")),
)
BAD_CHUNKS = (
    *(b"xyz\r\n", b"-1\r\n", b"+1\r\n", b"0x1\r\n", b" 1\r\n", b"\r\n", b"ffffffffffffffffff\r\n"),
    *(b"2\r\nabc\r\n", b"1\nA\n0\n\n", b"3\r\nabc0\r\n\r\n"),
    *(chunk(FERN) + b"0\r\nbad trailer\r\n\r\n", chunk(FERN) + b"zz\r\n"),
)
REFUSED = [
    *(ended(by(("Transfer-Encoding", coding)), 40011) for coding in BAD_CODINGS),
    *(ended(by(("Content-Length", length)), 40011) for length in BAD_LENGTHS),
    *(ended(by(*headers), 40011) for headers in TWO_LENGTHS),
    *(ended(chunked(body), 40011) for body in BAD_CHUNKS),
    ended(chunked(chunks_of(1), LAST), 43101),
    # What is around chunks has no end.
    *(
        ended(chunked(chunk(FERN), begun, b"x" * 40_000), 43101)
        for begun in (b"0\r\nX-More: ", b"0\r\nX", b"1;more=")
    ),
]


@pytest.mark.parametrize("case", [*READ, *REFUSED], ids=str)
def test_a_body_is_read_or_refused(service: Service, store: str, case: Case) -> None:
    expect_responses(service, store, case)


def test_an_old_client_has_no_chunks(service: Service) -> None:
    old = replace(CHUNKED, version="HTTP/1.0")
    answer = exchange(service.origin, chunked(chunk(FERN), LAST, head=old))
    expect_error(answer, 40011)
    assert "Transfer-Encoding is not allowed in HTTP/1.0" in answer.json["message"]


@pytest.mark.parametrize("body", [FERN, b"x" * 100_000, b"GET /nowhere HTTP/1.1\r\n\r\n"])
@pytest.mark.parametrize("method", ["GET", "HEAD", "DELETE", "OPTIONS", "PUT"])
def test_an_unwanted_body_is_passed_over(
    service: Service, token: str, method: str, body: bytes
) -> None:
    plain = Message(method, "/plants/1" if method == "DELETE" else "/plants").bearing(token)
    with Connection(service.origin) as connection:
        expected = connection.ask(plain)
        with_length = connection.ask(plain.carrying(body))
        connection.send(plain.adding("Transfer-Encoding", "chunked"), chunk(body), LAST)
        in_chunks = connection.receive(method)
        for answer in (with_length, in_chunks):
            assert (answer.status, answer.body) == (expected.status, expected.body)
        expect_clean_end(connection, in_chunks)


# Expect: 100-continue


@pytest.fixture
def expecting(token: str) -> Message:
    """A create that asks before it sends its body."""
    return CREATE.bearing(token).carrying(FERN).adding("Expect", "100-continue")


def test_a_body_that_would_be_read_is_asked_for(service: Service, expecting: Message) -> None:
    with Connection(service.origin) as connection:
        connection.send(expecting.head())
        interim = connection.receive()
        assert (interim.status, interim.headers) == (100, {})
        connection.send(FERN)
        assert not connection.receive().closes
        assert connection.ask(LIVE).status == 200


@pytest.mark.parametrize("number", [0, 40001, 40101])
def test_a_body_that_comes_unasked_gets_one_answer(
    service: Service, expecting: Message, number: int
) -> None:
    messages = {
        0: expecting,
        40001: expecting.carrying(b"{"),
        40101: expecting.without("Authorization"),
    }
    with Connection(service.origin) as connection:
        answer = connection.ask(messages[number])
        if answer.status == 100:  # it may be told once, though it is no use
            assert number != 40101
            answer = connection.receive()
        if number:
            expect_error(answer, number)
        else:
            assert answer.json == {"name": "Fern"}
        expect_clean_end(connection, answer)


def test_a_body_that_would_be_refused_is_not_asked_for(
    service: Service, expecting: Message
) -> None:
    for number, message in {
        40101: expecting.without("Authorization"),
        40102: expecting.bearing("x"),
        41501: expecting.setting("Content-Type", "text/plain"),
        41301: expecting.setting("Content-Length", "65537"),
        40402: expecting.aimed_at("/nowhere"),
        40403: expecting.aimed_at("/stores/nowhere/plants"),
    }.items():
        with Connection(service.origin) as connection:
            connection.send(message.head())
            answer = connection.receive()
            expect_error(answer, number)
            # The client may send the body yet, or not: so nothing can follow on the connection.
            assert answer.closes
            assert connection.read_to_end() == b""


def test_other_clients_and_expectations_get_no_interim_answer(
    service: Service, expecting: Message
) -> None:
    old = replace(expecting, version="HTTP/1.0")
    other = expecting.setting("Expect", "the-worst").carrying(FERN.replace(b"1", b"2"))
    for message in (old, other):
        assert exchange(service.origin, message).status == 200


# Upgrade


def test_a_request_to_upgrade_is_read_as_any_other(service: Service, store: str) -> None:
    live = upgrading(LIVE)
    create = upgrading(CREATE.carrying(FERN), "Upgrade, HTTP2-Settings").to_bytes()
    listing = upgrading(LISTING).to_bytes()
    case = answered(live.to_bytes() + create + listing, 200, CREATED, b"[" + CREATED + b"]")
    expect_responses(service, store, case)


@pytest.mark.parametrize(
    "message",
    [
        upgrading(LIVE, "close, Upgrade"),
        upgrading(Message("GET", "/livez", (), version="HTTP/1.0")),
    ],
)
def test_a_request_to_upgrade_may_be_the_last(service: Service, message: Message) -> None:
    with Connection(service.origin) as connection:
        answer = connection.ask(message)
        assert answer.json == ALIVE
        assert answer.closes
        assert connection.read_to_end() == b""


@pytest.mark.anyio
async def test_a_body_that_was_refused_is_wanted_no_longer() -> None:
    # Else all that comes while the refusal waits for its client is kept.
    body = ChunkedBody(lambda: None)
    reading = asyncio.create_task(body.read(10))
    await asyncio.sleep(0)
    assert body.wanted_at < math.inf
    body.feed(b"ffff\r\n" + b"x" * 11)
    with pytest.raises(RequestError):
        await reading
    assert body.wanted_at == math.inf
