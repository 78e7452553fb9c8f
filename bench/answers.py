"""Answers as they come over the wire: recorded from the service, and given again by the floor."""

import socket
from typing import BinaryIO
from urllib.parse import urlsplit

from msgspec import Struct

Headers = list[tuple[bytes, bytes]]
_TIMEOUT = 60.0


class Answer(Struct, frozen=True):
    """``parts`` are the body's chunks, one where it was not chunked; ``size`` is all its bytes.

    ``delay`` is the seconds that the floor takes to give it.
    """

    status: int
    headers: Headers
    parts: list[bytes]
    size: int
    delay: float = 0.0

    def header(self, name: bytes) -> bytes:
        """The value of a header that the answer must have."""
        return dict(self.headers)[name]


class Asked(Struct, frozen=True):
    """A request; ``headers`` beyond Host and Content-Length."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes = b""


def fetch(origin: str, asked: Asked) -> Answer:
    """The answer of the server at this origin."""
    address = urlsplit(origin)
    headers = {"Host": address.netloc, "Content-Length": str(len(asked.body)), **asked.headers}
    lines = [f"{asked.method} {asked.path} HTTP/1.1", *(f"{k}: {v}" for k, v in headers.items())]
    with socket.create_connection((address.hostname, address.port), _TIMEOUT) as connection:
        connection.sendall("\r\n".join([*lines, "", ""]).encode() + asked.body)
        with connection.makefile("rb") as stream:
            return _read_answer(stream)


def _read_answer(stream: BinaryIO) -> Answer:
    size = len(status_line := stream.readline())
    headers: Headers = []
    while line := stream.readline().rstrip(b"\r\n"):
        size += len(line) + len(b"\r\n")
        name, _, value = line.partition(b": ")
        headers.append((name, value))
    size += len(b"\r\n")
    known = dict(headers)
    if b"transfer-encoding" in known:
        parts, framed = _read_chunks(stream)
        size += framed
    else:
        parts = [stream.read(int(known.get(b"content-length", 0)))]
        size += len(parts[0])
    return Answer(int(status_line.split()[1]), headers, parts, size)


def _read_chunks(stream: BinaryIO) -> tuple[list[bytes], int]:
    parts: list[bytes] = []
    framed = 0
    while True:
        line = stream.readline()
        part = stream.read(int(line, 16))
        stream.readline()
        framed += len(line) + len(part) + len(b"\r\n")
        if not part:
            return parts, framed
        parts.append(part)
