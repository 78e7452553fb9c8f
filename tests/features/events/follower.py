"""A client that follows a store's events, and comes back with Last-Event-ID whenever it must."""

import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial

from tests.features.events.http.event_stream import EventStream
from tests.service import Service
from tests.waiting import wait_until

_LOST = (OSError, AssertionError)  # what reading from a connection that ends raises


class Follower(threading.Thread):
    """Follows from the store's first event. ``streams`` counts its connections."""

    def __init__(self, service: Service, token: str) -> None:
        super().__init__(daemon=True)
        self.revisions: list[int] = []
        self.streams = 0
        self._service = service
        self._token = token
        self._last_id = "0"
        self._stopping = threading.Event()

    def run(self) -> None:
        """Follow until it is stopped."""
        while not self._stopping.is_set():
            with suppress(*_LOST):
                self._follow()
            time.sleep(0.05)

    def stop(self) -> None:
        """End with the next event or heartbeat, or at the end of the stream."""
        self._stopping.set()

    def _follow(self) -> None:
        with EventStream(self._service.origin, self._token, last_id=self._last_id) as stream:
            self.streams += 1
            for event in stream.events():
                self.revisions.append(event["revision"])
                self._last_id = str(event["revision"])
                if self._stopping.is_set():
                    return


@contextmanager
def following(service: Service, token: str, count: int = 4) -> Iterator[Sequence[Follower]]:
    """Clients that follow until the end of the block."""
    followers = [Follower(service, token) for _ in range(count)]
    for follower in followers:
        follower.start()
    try:
        yield followers
    finally:
        for follower in followers:
            follower.stop()


def assert_followed(service: Service, store: str, followers: Sequence[Follower]) -> None:
    """Each follower gets, or has got, each of the store's events once and in order."""
    expected = [event.revision for event in service.events(store)]
    assert expected
    for follower in followers:
        wait_until(partial(_has, follower, len(expected)))
        assert follower.revisions == expected


def _has(follower: Follower, count: int) -> bool:
    return len(follower.revisions) >= count
