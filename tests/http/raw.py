"""HTTP as bytes on a socket, for requests and responses that a client library refuses or hides."""

import json
import select
import socket
import ssl
import struct
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self
from urllib.parse import urlsplit

from plantstore.version import VERSION

ALIVE = {"status": "live", "version": VERSION}  # the response of /livez
TIMEOUT = 60.0  # seconds to wait for a response, or for the end of a connection
_END_OF_HEAD = b"\r\n\r\n"


@dataclass(frozen=True)
class Message:
    """A request. ``to_bytes`` adds Content-Length if it has a body and no length."""

    method: str
    target: str
    headers: tuple[tuple[str, str], ...] = (("Host", "test"),)
    body: bytes = b""
    version: str = "HTTP/1.1"

    def with_header(self, name: str, value: str) -> Self:
        """The request with one more header, even if it has this header already."""
        return replace(self, headers=(*self.headers, (name, value)))

    def without(self, name: str) -> Self:
        kept = tuple(header for header in self.headers if header[0].lower() != name.lower())
        return replace(self, headers=kept)

    def replacing_header(self, name: str, value: str) -> Self:
        """The request with this header instead of all of the same name."""
        return self.without(name).with_header(name, value)

    def with_token(self, token: str) -> Self:
        return self.replacing_header("Authorization", f"Bearer {token}")

    def with_target(self, target: str) -> Self:
        return replace(self, target=target)

    def with_body(self, body: bytes) -> Self:
        """The request with this body, as JSON."""
        return replace(self.replacing_header("Content-Type", "application/json"), body=body)

    def head(self) -> bytes:
        """The request line and the headers, with the empty line after them."""
        names = {name.lower() for name, _ in self.headers}
        headers = list(self.headers)
        if self.body and not names & {"content-length", "transfer-encoding"}:
            headers.append(("Content-Length", str(len(self.body))))
        lines = [f"{self.method} {self.target} {self.version}"]
        lines += [f"{name}: {value}" for name, value in headers]
        return "\r\n".join(lines).encode() + _END_OF_HEAD

    def to_bytes(self) -> bytes:
        return self.head() + self.body


LIVE = Message("GET", "/livez")


@dataclass(frozen=True)
class Response:
    """A response; header names are in lower case, and each came once."""

    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""

    @property
    def json(self) -> Any:  # noqa: ANN401 - it is any JSON value
        return json.loads(self.body)

    @property
    def number(self) -> int:
        number: int = self.json["error"]
        return number

    @property
    def stable_parts(self) -> tuple[int, dict[str, str], bytes]:
        """The response without the headers that always differ."""
        own = ("date", "x-request-id")
        headers = {name: value for name, value in self.headers.items() if name not in own}
        return self.status, headers, self.body

    @property
    def closes(self) -> bool:
        """Whether the response ends the connection."""
        return self.headers.get("connection", "").lower() == "close"


class Connection:
    """A connection to the service. ``receive_buffer``, in bytes, makes it receive slowly.

    ``trust`` is needed for TLS.
    """

    def __init__(
        self,
        origin: str,
        *,
        receive_buffer: int | None = None,
        trust: ssl.SSLContext | None = None,
    ) -> None:
        url = urlsplit(origin)
        self._socket = socket.socket()
        if receive_buffer is not None:
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self._socket.settimeout(TIMEOUT)
        try:
            self._socket.connect((url.hostname, url.port))
        except OSError:
            self.close()
            raise
        if trust is not None:
            self._socket = trust.wrap_socket(self._socket, server_hostname=url.hostname)
        self._unread = bytearray()

    def send(self, *parts: Message | bytes) -> None:
        self._socket.sendall(
            b"".join(part if isinstance(part, bytes) else part.to_bytes() for part in parts)
        )

    def receive(self, method: str = "GET") -> Response:
        """The next response, maybe an interim one, to a request with this method."""
        response = self.receive_head()
        return replace(response, body=self._read_body(method, response.status, response.headers))

    def receive_head(self) -> Response:
        """The head of the next response; its body is still unread."""
        head = self._read_until(_END_OF_HEAD)
        status_line, *lines = head.decode("latin-1").split("\r\n")
        pairs = [line.partition(": ") for line in lines]
        headers = {name.lower(): value for name, _, value in pairs}
        assert len(headers) == len(pairs), f"a header came twice: {lines}"
        version, status = status_line.split(" ")[:2]
        assert version == "HTTP/1.1"
        assert ("date" in headers) == (status != "100")
        return Response(int(status), headers)

    def request(self, message: Message) -> Response:
        self.send(message)
        return self.receive(message.method)

    def read_to_end(self) -> bytes:
        """The remaining bytes; the server must close the connection soon."""
        remaining, self._unread = self._unread, bytearray()
        while part := self._socket.recv(2**20):
            remaining += part
        return bytes(remaining)

    def read_chunk(self) -> bytes:
        """The next chunk of a body in chunks; empty at its end."""
        chunk = self._read_exactly(int(self._read_until(b"\r\n"), 16))
        assert self._read_until(b"\r\n") == b""
        return chunk

    def read_some(self, size: int) -> bytes:
        """The next bytes, at most ``size``; empty at the end."""
        if not self._unread:
            self._unread += self._socket.recv(size)
        return self._take(min(size, len(self._unread)))

    def has_data(self, seconds: float) -> bool:
        """Whether data, or the end, arrives within this time."""
        return bool(self._unread) or bool(select.select([self._socket], [], [], seconds)[0])

    def certificate(self) -> bytes | None:
        """The server's certificate, in DER; None without TLS."""
        secured = self._socket
        return secured.getpeercert(binary_form=True) if isinstance(secured, ssl.SSLSocket) else None

    def finish_sending(self) -> None:
        """Shut down sending: the server sees the end."""
        self._socket.shutdown(socket.SHUT_WR)

    def reset(self) -> None:
        """Reset the connection, as a client that fails does."""
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close()

    def close(self) -> None:
        """Close the connection, even if something is unread."""
        self._socket.close()

    def fileno(self) -> int:
        return self._socket.fileno()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _read_body(self, method: str, status: int, headers: Mapping[str, str]) -> bytes:
        if method == "HEAD" or status < 200 or status in (204, 304):
            return b""
        if headers.get("transfer-encoding") == "chunked":
            return b"".join(self._read_chunks())
        if "content-length" in headers:
            return self._read_exactly(int(headers["content-length"]))
        return self.read_to_end()

    def _read_chunks(self) -> list[bytes]:
        chunks = []
        while chunk := self.read_chunk():
            chunks.append(chunk)
        return chunks

    def _read_until(self, end: bytes) -> bytes:
        while end not in self._unread:
            self._read_more()
        return self._take(self._unread.index(end) + len(end)).removesuffix(end)

    def _read_exactly(self, size: int) -> bytes:
        while len(self._unread) < size:
            self._read_more()
        return self._take(size)

    def _read_more(self) -> None:
        part = self._socket.recv(2**20)
        assert part, f"the connection ended after {self._unread!r}"
        self._unread += part

    def _take(self, size: int) -> bytes:
        data = bytes(self._unread[:size])
        del self._unread[:size]
        return data


def exchange(origin: str, message: Message | bytes, method: str = "GET") -> Response:
    """The response to one request on a new connection."""
    with Connection(origin) as connection:
        connection.send(message)
        return connection.receive(message.method if isinstance(message, Message) else method)
