"""Messages that cannot be read are refused, and the connection ends: a table of their bytes."""

import pytest

from tests.http.expect import expect_error
from tests.http.raw import Connection, Message
from tests.service import Service

FERN = b'{"id": 1, "name": "Fern"}'
HEADS = (
    b"GET /livez HTTP/1.1\r\n\r\n",
    b"GET /livez HTTP/1.1\r\nHost : x\r\n\r\n",
    b"GET /livez HTTP/1.1\r\n Host: x\r\n\r\n",
    b"GET /livez HTTP/1.1\r\nHost: x\r\n: empty\r\n\r\n",
    b"GET /livez HTTP/1.1\r\nHost: x\r\nno colon\r\n\r\n",
    b"GET /livez HTTP/1.1\r\nHost: x\r\nX: a\r\n folded\r\n\r\n",
    b"GET /livez HTTP/1.1\r\nHost: x\r\nX: a\x00b\r\n\r\n",
    b"GET /livez HTTP/1.1\r\nHost: x\r\nX: a\rb\r\n\r\n",
    b"GET /livez HTTP/1.1\r\nHost: x\r\nX\x7f: a\r\n\r\n",
    b"GET /livez HTTP/1.1\r\nHost: x\r\nX\xe9: a\r\n\r\n",
    b"GET /livez\r\n\r\n",
    b"GET /livez HTTP/1\r\nHost: x\r\n\r\n",
    b"GET /livez HTTP/1.1 \r\nHost: x\r\n\r\n",
    b"GET /livez http/1.1\r\nHost: x\r\n\r\n",
    b"GET\r\n\r\n",
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    b"\x00\x00\x00\x00",
    b"{}\r\n\r\n",
    b"HTTP/1.1 200 OK\r\n\r\n",
)
METHODS = ("POST\x00", "ÄÖ")
TARGETS = (
    ("CONNECT", "plants.example:443"),
    ("CONNECT", "/plants"),
    ("GET", "plants"),
    ("GET", "%2Fplants"),
    ("GET", "?limit=1"),
    ("GET", "http://"),
    ("GET", "http:///plants"),
    ("GET", "http://x:99999/plants"),
    ("GET", "http://[::1/plants"),
    ("GET", "/plants/é"),
    ("GET", "/plants?tag=é"),
    ("GET", "/plants\x00"),
    ("GET", "/plants\x7f"),
    ("GET", "/pl ants"),
)
# Of a body of 25 bytes.
LENGTHS = (
    [("Content-Length", "25"), ("Transfer-Encoding", "chunked")],
    [("Transfer-Encoding", "chunked"), ("Content-Length", "25")],
    [("Transfer-Encoding", "gzip")],
    [("Transfer-Encoding", "identity")],
    [("Transfer-Encoding", "chunked, identity")],
    [("Transfer-Encoding", "gzip, chunked")],
    [("Transfer-Encoding", "identity, chunked")],
    [("Transfer-Encoding", "chunked, chunked")],
    [("Transfer-Encoding", "chunked;q=1")],
    [("Transfer-Encoding", "chunked,")],
    [("Transfer-Encoding", "")],
    [("Transfer-Encoding", "gzip"), ("Transfer-Encoding", "chunked")],
    [("Transfer-Encoding", "chunked"), ("Transfer-Encoding", "identity")],
    [("Transfer-Encoding", "xchunked")],
    [("Content-Length", "25, 25")],
    [("Content-Length", "-1")],
    [("Content-Length", "+25")],
    [("Content-Length", "0x19")],
    [("Content-Length", "2 5")],
    [("Content-Length", "2_5")],
    [("Content-Length", "25.0")],
    [("Content-Length", "")],
    [("Content-Length", "9" * 40)],
    [("Content-Length", "25"), ("Content-Length", "25")],
    [("Content-Length", "25"), ("Content-Length", "24")],
)


def with_body(headers: list[tuple[str, str]]) -> bytes:
    message = Message("POST", "/plants").adding("Content-Type", "application/json")
    for name, value in headers:
        message = message.adding(name, value)
    return message.head() + FERN


OTHER_METHODS = ("FOO", "get", "GETT", "G", "DELETES")
OTHER_VERSIONS = (
    b"GET /livez HTTP/0.9\r\nHost: x\r\n\r\n",
    b"GET /livez HTTP/2.0\r\nHost: x\r\n\r\n",
    b"GET /livez HTTP/3.0\r\nHost: x\r\n\r\n",
    b"GET /livez HTTP/9.9\r\nHost: x\r\n\r\n",
    b"GET /livez FTP/1.1\r\nHost: x\r\n\r\n",
    b"GET /livez RTSP/1.1\r\nHost: x\r\n\r\n",
    b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
)
HOSTS = ("a b", "a/b", 'a"b', "a<b", "a\\b", "a#b", "a@b", "a?b", "é", "[::1", "a:b", "a:1:2")


REFUSED = [
    *HEADS,
    *(Message("GET", "/livez", (("Host", host),)).to_bytes() for host in HOSTS),
    *(Message(method, "/livez").to_bytes() for method in METHODS),
    *(Message(method, target).to_bytes() for method, target in TARGETS),
    *(with_body(headers) for headers in LENGTHS),
]
CASES = [
    *((40011, message) for message in REFUSED),
    *((50101, Message(method, "/livez").to_bytes()) for method in OTHER_METHODS),
    *((50501, message) for message in OTHER_VERSIONS),
]
NUMBERS = {number for number, _ in CASES}  # `test_every_error` adds them up


@pytest.mark.parametrize(("number", "message"), CASES)
def test_what_cannot_be_read_is_refused(service: Service, number: int, message: bytes) -> None:
    logged = len(service.log())
    with Connection(service.origin) as connection:
        connection.send(message)
        answer = connection.receive()
        expect_error(answer, number)
        assert answer.closes
        assert connection.read_to_end() == b""
    assert "Traceback" not in service.log()[logged:]
