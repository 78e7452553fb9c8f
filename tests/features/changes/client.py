"""A client of ``/changes``, which sends lines and reads results as they arrive."""

import json
from collections.abc import Iterable, Iterator
from typing import Any, Self

from tests.http.calls import list_plants
from tests.http.raw import Connection, Message
from tests.service import Service

Result = dict[str, Any]


def plant_line(plant_id: int, name: str = "Fern") -> bytes:
    return b'{"id": %d, "name": "%s"}\n' % (plant_id, name.encode())


def plant_lines(ids: Iterable[int]) -> bytes:
    return b"".join(map(plant_line, ids))


def changes_message(token: str, body: bytes = b"", target: str = "/changes") -> Message:
    """A request to ``/changes``; without a body, the test chooses the framing."""
    message = Message("POST", target, body=body).with_header("Authorization", f"Bearer {token}")
    return message.with_header("Content-Type", "application/x-ndjson")


def read_lines(body: bytes) -> list[Result]:
    return [json.loads(line) for line in body.splitlines()]


def numbers_of(results: Iterable[Result]) -> list[tuple[int, int]]:
    """The line number of each result, with its error number or its status."""
    return [
        (result["line"], result["error"] if "error" in result else result["status"])
        for result in results
    ]


def list_ids(service: Service, token: str) -> list[int]:
    with service.client(token) as client:
        return [plant["id"] for plant in list_plants(client)]


class ChangesStream:
    """A chunked request whose body is still open."""

    def __init__(self, origin: str, token: str, *, receive_buffer: int | None = None) -> None:
        self.connection = Connection(origin, receive_buffer=receive_buffer)
        self._is_head_read = False
        self._unread = b""
        message = changes_message(token).with_header("Transfer-Encoding", "chunked")
        self.connection.send(message.head())

    def send(self, lines: bytes) -> None:
        """Send lines, or a part of a line, as a chunk."""
        self.connection.send(b"%x\r\n%s\r\n" % (len(lines), lines))

    def finish(self) -> list[Result]:
        """End the body; return the remaining results."""
        self.connection.send(b"0\r\n\r\n")
        return list(self.results())

    def take(self, count: int) -> list[Result]:
        """The next results, as many as ``count``."""
        results = self.results()
        return [next(results) for _ in range(count)]

    def results(self) -> Iterator[Result]:
        """The results, to the end of the response; the head arrives with the first result."""
        if not self._is_head_read:
            self._is_head_read = True
            head = self.connection.receive_head()
            assert head.status == 200
            assert head.headers["content-type"] == "application/x-ndjson"
        while True:
            line, end, rest = self._unread.partition(b"\n")
            if end:
                self._unread = rest
                yield json.loads(line)
                continue
            chunk = self.connection.read_chunk()
            if not chunk:
                assert self._unread == b""
                return
            self._unread += chunk

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.connection.close()
