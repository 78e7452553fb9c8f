"""Request heads, as bytes: accepted, or refused with the right error."""

import pytest

from tests.http.expect import expect_error
from tests.http.framing import CREATE, FERN, LISTING, Case, closed, expect_responses, kept_open
from tests.http.raw import LIVE, Connection, Message, exchange
from tests.service import Service

HEAD_MAX = 16 * 1024
TARGET_MAX = 8 * 1024
LINE = b"GET /livez HTTP/1.1\r\n"


def padded(size: int) -> Message:
    """A request of this many bytes, with long headers."""
    message = LIVE
    while left := size - len(message.head()):
        message = message.with_header("X-Pad", "x" * (min(left, 6000) - len("X-Pad: \r\n")))
    return message


def with_headers(count: int) -> Message:
    return Message("GET", "/livez", LIVE.headers + (("X", ""),) * (count - 1))


def twice(name: str, other: str) -> Message:
    """A request that has a header with the value 1, and again with another one."""
    return LIVE.without(name).with_header(name, "1").with_header(name.upper(), other)


READ = [
    *(kept_open(LINE + lines + b"\r\n\r\n", 200) for lines in (
        *(b"hOsT:x", b"Host:\t x \t", b"Host:", b"Host: x\r\nX:", b"Host: x\r\nX: \xff\xe9"),
        b'Host: x\r\nAccept: a/b\r\nAccept: c/d\r\nIf-None-Match: *\r\nIf-None-Match: "x"',
    )),
    kept_open(b"\r\n" + LIVE.to_bytes(), 200),
    kept_open(LIVE.to_bytes().replace(b" ", b"  ", 1), 200),
    kept_open(padded(HEAD_MAX), 200),
    kept_open(with_headers(100), 200),
    kept_open(CREATE.with_body(FERN).with_header("Content-Length", "0" * 5000 + "25"), 200),
    # The connection of an HTTP/1.0 client closes after the response.
    *(closed(Message("GET", "/livez", headers, version="HTTP/1.0"), 200) for headers in (
        *((), (("Host", "x"),), (("Connection", "close"),), (("Connection", "Keep-Alive"),)),
    )),
]  # fmt: skip
HEADS = (
    *(b"\r\n", b"Host : x\r\n\r\n", b" Host: x\r\n\r\n", b"Host: x\r\n: empty\r\n\r\n"),
    *(b"Host: x\r\nno colon\r\n\r\n", b"Host: x\r\nX: a\r\n folded\r\n\r\n"),
    *(b"Host: x\r\nX: a\x00b\r\n\r\n", b"Host: x\r\nX: a\rb\r\n\r\n"),
    *(b"Host: x\r\nX\x7f: a\r\n\r\n", b"Host: x\r\nX\xe9: a\r\n\r\n"),
)
HOSTS = ("a b", "a/b", 'a"b', "a<b", "a\\b", "a#b", "a@b", "a?b", "é", "[::1", "a:b", "a:1:2")
BEGINNINGS = (
    *(b"GET /livez\r\n\r\n", b"GET /livez HTTP/1\r\nHost: x\r\n\r\n", b"GET\r\n\r\n"),
    *(b"GET /livez HTTP/1.1 \r\nHost: x\r\n\r\n", b"GET /livez http/1.1\r\nHost: x\r\n\r\n"),
    *(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", b"\x00\x00\x00\x00", b"{}\r\n\r\n"),
    *(b"HTTP/1.1 200 OK\r\n\r\n", Message("POST\x00", "/livez").to_bytes()),
    Message("ÄÖ", "/livez").to_bytes(),
)
SINGLE = ("Host", "Authorization", "Content-Type", "Content-Length", "Idempotency-Key")
OTHER_METHODS = ("FOO", "get", "GETT", "G", "DELETES")
OTHER_VERSIONS = ("HTTP/0.9", "HTTP/2.0", "HTTP/3.0", "HTTP/9.9", "FTP/1.1", "RTSP/1.1")
BAD_TARGETS = (
    *("plants", "%2Fplants", "?limit=1", "http://", "http:///plants", "http://x:99999/plants"),
    *("http://[::1/plants", "/plants/é", "/plants?tag=é", "/plants\x00", "/plants\x7f", "/pl ants"),
    "*",
)
REFUSED = [
    *(closed(LINE + head, 40011) for head in HEADS),
    *(closed(Message("GET", "/livez", (("Host", host),)), 40011) for host in HOSTS),
    *(closed(beginning, 40011) for beginning in BEGINNINGS),
    *(closed(twice(name, other), 40011) for name in SINGLE for other in "12"),
    *(closed(Message("GET", target), 40011) for target in BAD_TARGETS),
    *(closed(Message("CONNECT", target), 40011) for target in ("/plants", "plants.example:443")),
    closed(Message("POST", "*"), 40011),
    *(closed(Message(method, "/livez"), 50101) for method in OTHER_METHODS),
    *(closed(Message("GET", "/livez", version=version), 50501) for version in OTHER_VERSIONS),
    closed(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 50501),
    *(closed(padded(size), 43101) for size in (HEAD_MAX + 1, 17_400, 60 * 1024)),
    closed(LINE + b"Host: x\r\n" + (b"X-More: " + b"x" * 990 + b"\r\n") * 40, 43101),
    *(closed(with_headers(count), 43101) for count in (101, 1000)),
    # Lines after a leading blank line are not cached as those of a head.
    closed(2 * (b"\r\n" + padded(100).to_bytes()) + LINE + padded(100).to_bytes(), 200, 200, 40011),
]
NUMBERS = {case.expected[-1] for case in REFUSED}  # `test_every_error` collects them

OTHER_PATHS = (
    *("/plants/", "//plants", "/plants//", "/plants//1", "/./plants", "/plants/../plants"),
    *("/x/../plants", "/%2e/plants", "/plants%2F", "/plants%2F1", "/plants/1/2", "/plants;x=1"),
    *("/Plants", "/plants%20", "/plants%00", "/livez/", "/%6Civez", "/openapi", "//"),
    *("/stores//plants", "/stores/STORE/", "/stores/STORE/plants/", "/stores/STORE//plants"),
    *("/stores/STORE/./plants", "/stores/STORE/../STORE/plants", "/stores%2FSTORE/plants"),
    *("/stores/STORE/plants%2F1", "/stores/STORE/plants/1/2"),
)
SAME_TARGETS = (
    *("/%70lants", "/plant%73", "/plants#x", "/plants?limit=0#x", "/st%6Fres/STORE/plants"),
    *("http://test/plants", "HTTP://x:80/plants?limit=0", "https://test/plants?limit=0"),
    *("/plants?x=".ljust(size, "x") for size in (TARGET_MAX - 1, TARGET_MAX)),
)
TARGETS = [
    *(kept_open(LISTING.with_target(path), 40402) for path in OTHER_PATHS),
    *(kept_open(Message("DELETE", path), 40402) for path in OTHER_PATHS),
    *(kept_open(LISTING.with_target(target), b"[]") for target in SAME_TARGETS),
    *(
        closed(LISTING.with_target("/plants?x=".ljust(size, "x")), 41401)
        for size in (TARGET_MAX + 1, 9 * 1024)
    ),
]


@pytest.mark.parametrize("case", [*READ, *REFUSED, *TARGETS], ids=str)
def test_request_heads_get_the_expected_responses(service: Service, store: str, case: Case) -> None:
    expect_responses(service, store, case)


def test_a_target_without_a_path_is_the_root(service: Service) -> None:
    root = exchange(service.origin, Message("GET", "/")).body
    for target in ("http://test", "HTTP://x:80?limit=0", "https://test"):
        assert exchange(service.origin, Message("GET", target)).body == root


def test_options_asterisk_lists_the_methods_of_the_server(service: Service) -> None:
    response = exchange(service.origin, Message("OPTIONS", "*"))
    assert (response.status, response.headers["allow"]) == (204, "GET, HEAD, OPTIONS")


def test_an_invalid_head_request_gets_an_error_without_a_body(service: Service) -> None:
    for message, number in (
        (Message("HEAD", "/livez", (("Upgrade", "h2c"), ("Connection", "upgrade"))), 40011),
        (Message("HEAD", "/" + "x" * 9000), 41401),
        (Message("HEAD", "/livez").with_header("X", "x" * 17_000), 43101),
    ):
        with Connection(service.origin) as connection:
            response = connection.request(message)
            expect_error(response, number, method="HEAD")
            assert int(response.headers["content-length"]) > 0
            assert connection.read_to_end() == b""
