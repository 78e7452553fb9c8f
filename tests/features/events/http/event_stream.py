"""A client of ``/events`` as server-sent events, which reads each block of the stream."""

import json
from collections.abc import Iterator
from typing import Any, Self

from tests.http.raw import Connection, Message

Block = dict[str, str]  # the fields of one block; empty for a comment
Events = list[dict[str, Any]]


class EventStream:
    """An open stream. ``last_id`` is the ``Last-Event-ID`` of a client that reconnects."""

    def __init__(
        self,
        origin: str,
        token: str,
        target: str = "/events",
        *,
        last_id: str | None = None,
        receive_buffer: int | None = None,
    ) -> None:
        message = Message("GET", target).with_header("Accept", "text/event-stream")
        message = message.with_header("Authorization", f"Bearer {token}")
        if last_id is not None:
            message = message.with_header("Last-Event-ID", last_id)
        self.connection = Connection(origin, receive_buffer=receive_buffer)
        self.last_id = last_id
        self._unread = ""
        try:
            self.connection.send(message)
            self.head = self.connection.receive_head()
            assert self.head.status == 200
        except BaseException:
            self.connection.close()
            raise

    def blocks(self) -> Iterator[Block]:
        """The blocks, to the end of the stream."""
        while chunk := self.connection.read_chunk():
            *blocks, self._unread = (self._unread + chunk.decode()).split("\n\n")
            for block in blocks:
                fields = dict(line.split(": ", 1) for line in block.split("\n") if line != ":")
                self.last_id = fields.get("id", self.last_id)
                yield fields
        assert self._unread == ""

    def events(self) -> Iterator[dict[str, Any]]:
        """The events, to the end of the stream."""
        for block in self.blocks():
            if "data" in block:
                event = json.loads(block["data"])
                assert (block["id"], block["event"]) == (str(event["revision"]), event["kind"])
                yield event

    def take(self, count: int) -> Events:
        events = self.events()
        return [next(events) for _ in range(count)]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.connection.close()
