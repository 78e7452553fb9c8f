"""Requests as bytes, cut into any pieces, and their expected responses."""

from dataclasses import dataclass

from tests.http.expect import expect_clean_end, expect_error
from tests.http.raw import Connection, Message
from tests.service import Service

FERN = b'{"id": 1, "name": "Fern"}'
LAST = b"0\r\n\r\n"  # the last chunk
LISTING = Message("GET", "/plants").with_token("TOKEN")
CREATE = Message("POST", "/plants").with_token("TOKEN").with_body(b"")
CHUNKED = CREATE.with_header("Transfer-Encoding", "chunked")


@dataclass(frozen=True)
class Case:
    """The bytes ``sent``, in which TOKEN and STORE stand for a new store's.

    ``expected`` are the responses: a status, an error's number, or the body of a 200. All are to
    requests of one method. ``ends``: whether the last response must end the connection.
    """

    sent: bytes
    expected: tuple[int | bytes, ...]
    method: str = "GET"
    ends: bool = False

    def __str__(self) -> str:
        size = len(self.sent)
        end = "" if size <= 150 else f" to {self.sent[-60:]!r}, {size} bytes"
        return f"{self.sent[:150]!r}{end}: {self.expected}"


def kept_open(sent: bytes | Message, *expected: int | bytes, method: str = "GET") -> Case:
    """A case after which the connection stays open."""
    return Case(sent if isinstance(sent, bytes) else sent.to_bytes(), expected, method)


def closed(sent: bytes | Message, *expected: int | bytes, method: str = "GET") -> Case:
    """A case after which the service closes the connection."""
    return Case(sent if isinstance(sent, bytes) else sent.to_bytes(), expected, method, ends=True)


def chunk(data: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(data), data)


def upgrading(message: Message, connection: str = "Upgrade") -> Message:
    """The request, which asks for an upgrade to another protocol."""
    return message.with_header("Connection", connection).with_header("Upgrade", "h2c")


def expect_responses(service: Service, store: str, case: Case) -> None:
    """Send the case whole and in pieces: each time the responses match, and nothing is logged."""
    logged = len(service.log())
    size = len(case.sent)
    # In smaller pieces the beginning of a first line may be refused before the rest is seen.
    for number, piece in enumerate((size, 1000, max(50, size // 100))):
        name = f"{store}-{number}"
        token = service.make_token(name) if b"TOKEN" in case.sent else ""
        sent = case.sent.replace(b"TOKEN", token.encode()).replace(b"STORE", name.encode())
        with Connection(service.origin) as connection:
            for start in range(0, len(sent), piece):
                connection.send(sent[start : start + piece])
            for expected in case.expected:
                response = connection.receive(case.method)
                if isinstance(expected, bytes):
                    assert (response.status, response.body) == (200, expected)
                elif expected < 1000:
                    assert response.status == expected
                else:
                    expect_error(response, expected, method=case.method)
            assert response.closes == case.ends
            expect_clean_end(connection, response)
    assert "Traceback" not in service.log()[logged:]
