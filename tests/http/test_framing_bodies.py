"""Request bodies, as bytes: by length, chunked, invalid, too large and unwanted."""

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
    chunk,
    closed,
    expect_responses,
    kept_open,
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


def with_headers(*headers: tuple[str, str]) -> bytes:
    """A request with a body of 25 bytes and these headers about its length."""
    return Message("POST", "/plants", (("Host", "x"), *headers)).head() + FERN


CHUNKINGS = (
    *(chunk(FERN) + LAST, b"".join(chunk(bytes([byte])) for byte in FERN) + LAST),
    b"19;name=value;other\r\n" + FERN + b"\r\n" + LAST,
    b"00019\r\n" + FERN + b"\r\n000\r\n\r\n",
    *(chunk(FERN) + b"0\r\nX-Sum: 1\r\n\r\n", chunks_of(16) + LAST),
)
CODINGS = [
    CREATE.with_header("Transfer-Encoding", it) for it in ("Chunked", "CHUNKED", " chunked ")
]
READ = [
    *(kept_open(chunked(body), CREATED) for body in CHUNKINGS),
    *(kept_open(chunked(chunk(FERN), LAST, head=head), CREATED) for head in CODINGS),
    # Trailers are not read as headers.
    kept_open(chunked(chunk(FERN), b"0\r\n", AUTHORIZATION, b"\r\n", head=ANONYMOUS), 40101),
    *(
        kept_open(CREATE.with_body(FERN.ljust(size)), 41301)
        for size in (BODY_MAX + 1, 20 * BODY_MAX)
    ),
    *(kept_open(chunked(*it * [chunk(b" " * 16384)], chunk(FERN), LAST), 41301) for it in (5, 80)),
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
    *(closed(with_headers(("Transfer-Encoding", coding)), 40011) for coding in BAD_CODINGS),
    *(closed(with_headers(("Content-Length", length)), 40011) for length in BAD_LENGTHS),
    *(closed(with_headers(*headers), 40011) for headers in TWO_LENGTHS),
    *(closed(chunked(body), 40011) for body in BAD_CHUNKS),
    closed(chunked(chunks_of(1), LAST), 43101),
    # The bytes around chunks never end.
    *(
        closed(chunked(chunk(FERN), begun, b"x" * 40_000), 43101)
        for begun in (b"0\r\nX-More: ", b"0\r\nX", b"1;more=")
    ),
]


@pytest.mark.parametrize("case", [*READ, *REFUSED], ids=str)
def test_request_bodies_get_the_expected_responses(
    service: Service, store: str, case: Case
) -> None:
    expect_responses(service, store, case)


def test_http_1_0_requests_may_not_be_chunked(service: Service) -> None:
    old = replace(CHUNKED, version="HTTP/1.0")
    response = exchange(service.origin, chunked(chunk(FERN), LAST, head=old))
    expect_error(response, 40011)
    assert "Transfer-Encoding is not allowed in HTTP/1.0" in response.json["message"]


@pytest.mark.parametrize("body", [FERN, b"x" * 100_000, b"GET /nowhere HTTP/1.1\r\n\r\n"])
@pytest.mark.parametrize("method", ["GET", "HEAD", "DELETE", "OPTIONS", "PUT"])
def test_an_unwanted_body_is_ignored(
    service: Service, token: str, method: str, body: bytes
) -> None:
    plain = Message(method, "/plants/1" if method == "DELETE" else "/plants").with_token(token)
    with Connection(service.origin) as connection:
        expected = connection.request(plain)
        with_length = connection.request(plain.with_body(body))
        connection.send(plain.with_header("Transfer-Encoding", "chunked"), chunk(body), LAST)
        in_chunks = connection.receive(method)
        for response in (with_length, in_chunks):
            assert (response.status, response.body) == (expected.status, expected.body)
        expect_clean_end(connection, in_chunks)


# Expect: 100-continue


@pytest.fixture
def expecting(token: str) -> Message:
    """A create with ``Expect: 100-continue``."""
    return CREATE.with_token(token).with_body(FERN).with_header("Expect", "100-continue")


def test_an_acceptable_create_gets_100_continue(service: Service, expecting: Message) -> None:
    with Connection(service.origin) as connection:
        connection.send(expecting.head())
        interim = connection.receive()
        assert (interim.status, interim.headers) == (100, {})
        connection.send(FERN)
        assert not connection.receive().closes
        assert connection.request(LIVE).status == 200


@pytest.mark.parametrize("number", [0, 40001, 40101])
def test_a_body_sent_before_100_continue_gets_one_final_response(
    service: Service, expecting: Message, number: int
) -> None:
    messages = {
        0: expecting,
        40001: expecting.with_body(b"{"),
        40101: expecting.without("Authorization"),
    }
    with Connection(service.origin) as connection:
        response = connection.request(messages[number])
        if response.status == 100:  # the server may send it, although it is useless by now
            assert number != 40101
            response = connection.receive()
        if number:
            expect_error(response, number)
        else:
            assert response.json == {"name": "Fern"}
        expect_clean_end(connection, response)


def test_a_create_refused_by_its_head_gets_no_100_continue(
    service: Service, expecting: Message
) -> None:
    for number, message in {
        40101: expecting.without("Authorization"),
        40102: expecting.with_token("x"),
        41501: expecting.replacing_header("Content-Type", "text/plain"),
        41301: expecting.replacing_header("Content-Length", "65537"),
        40402: expecting.with_target("/nowhere"),
        40403: expecting.with_target("/stores/nowhere/plants"),
    }.items():
        with Connection(service.origin) as connection:
            connection.send(message.head())
            response = connection.receive()
            expect_error(response, number)
            # The client may still send the body or not, so the connection cannot be reused.
            assert response.closes
            assert connection.read_to_end() == b""


def test_http_1_0_and_unknown_expectations_get_no_100_continue(
    service: Service, expecting: Message
) -> None:
    old = replace(expecting, version="HTTP/1.0")
    other = expecting.replacing_header("Expect", "the-worst").with_body(FERN.replace(b"1", b"2"))
    for message in (old, other):
        assert exchange(service.origin, message).status == 200


# Upgrade


def test_an_upgrade_request_is_handled_without_an_upgrade(service: Service, store: str) -> None:
    live = upgrading(LIVE)
    create = upgrading(CREATE.with_body(FERN), "Upgrade, HTTP2-Settings").to_bytes()
    listing = upgrading(LISTING).to_bytes()
    case = kept_open(live.to_bytes() + create + listing, 200, CREATED, b"[" + CREATED + b"]")
    expect_responses(service, store, case)


@pytest.mark.parametrize(
    "message",
    [
        upgrading(LIVE, "close, Upgrade"),
        upgrading(Message("GET", "/livez", (), version="HTTP/1.0")),
    ],
)
def test_an_upgrade_request_may_close_the_connection(service: Service, message: Message) -> None:
    with Connection(service.origin) as connection:
        response = connection.request(message)
        assert response.json == ALIVE
        assert response.closes
        assert connection.read_to_end() == b""


@pytest.mark.anyio
async def test_a_refused_body_is_no_longer_read() -> None:
    # Otherwise all bytes that arrive until the client has read the error would be buffered.
    body = ChunkedBody(lambda: None)
    reading = asyncio.create_task(body.read(10))
    await asyncio.sleep(0)
    assert body.wanted_at < math.inf
    body.feed(b"ffff\r\n" + b"x" * 11)
    with pytest.raises(RequestError):
        await reading
    assert body.wanted_at == math.inf


def test_a_discarded_body_of_small_chunks_does_not_go_on_for_ever() -> None:
    for is_discarded in (False, True):
        body = ChunkedBody(lambda: None)
        if is_discarded:
            body.discard()
        for _ in range(5000):
            body.feed(chunk(b"fifteen letters"))
        assert body.has_failed == is_discarded
