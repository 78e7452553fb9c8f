"""A client that follows a store's events, and reconnects with Last-Event-ID."""

import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

from tests.features.events.http.event_stream import EventStream
from tests.service import Service
from tests.waiting import wait_until

_LOST = (OSError, AssertionError)  # raised when a connection ends


class Follower(threading.Thread):
    """Follows from the store's first event. ``streams`` counts its connections."""

    def __init__(self, service: Service, token: str) -> None:
        super().__init__(daemon=True)
        self.revisions: list[int] = []
        self.streams = 0
        self.is_stopping = False  # with the next event, or at the end of the stream
        self._service = service
        self._token = token

    def run(self) -> None:
        while not self.is_stopping:
            with suppress(*_LOST):
                self._follow()
            time.sleep(0.05)

    def _follow(self) -> None:
        last_id = str(self.revisions[-1] if self.revisions else 0)
        with EventStream(self._service.origin, self._token, last_id=last_id) as stream:
            self.streams += 1
            for event in stream.events():
                self.revisions.append(event["revision"])
                if self.is_stopping:
                    return


@contextmanager
def following(service: Service, token: str) -> Iterator[Sequence[Follower]]:
    followers = [Follower(service, token) for _ in range(4)]
    for follower in followers:
        follower.start()
    try:
        yield followers
    finally:
        for follower in followers:
            follower.is_stopping = True


def assert_followed(service: Service, store: str, followers: Sequence[Follower]) -> None:
    """Wait for all events of the store; fail unless each follower gets each once and in order."""
    expected = [event.revision for event in service.events(store)]
    assert expected
    wait_until(lambda: all(len(follower.revisions) >= len(expected) for follower in followers))
    assert [follower.revisions for follower in followers] == [expected] * len(followers)
