"""A service that is killed or stopped in the middle of a request to ``/changes``."""

import itertools
import signal
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import pytest

from tests.databases import ON_BOTH
from tests.features.changes.client import (
    ChangesStream,
    Result,
    changes_message,
    list_ids,
    numbers_of,
    plant_lines,
    read_lines,
)
from tests.http.raw import exchange
from tests.service import Service

PORTION = 500


@contextmanager
def sending(stream: ChangesStream) -> Iterator[None]:
    """Send plants with ids from 1 on, without end, while the test reads their results."""

    def send() -> None:
        with suppress(OSError):
            for first in itertools.count(1, PORTION):
                stream.send(plant_lines(range(first, first + PORTION)))

    thread = threading.Thread(target=send, daemon=True)
    thread.start()
    with closing(stream.connection):
        yield
    thread.join()


def read_remaining_results(stream: ChangesStream) -> Iterator[Result]:
    """The remaining results; the connection may end at any byte."""
    with suppress(AssertionError, OSError):
        yield from stream.results()


@ON_BOTH
def test_acknowledged_changes_survive_a_kill(tmp_path: Path, url: str) -> None:
    service = Service(tmp_path, database=url)
    token = service.make_token()
    service.start()
    stream = ChangesStream(service.origin, token)
    with sending(stream):
        results = stream.take(700)
        service.kill()
        results += read_remaining_results(stream)
    assert numbers_of(results) == [(line, 200) for line in range(1, len(results) + 1)]
    with service:
        stored = list_ids(service, token)
        assert stored == list(range(1, len(stored) + 1))
        assert len(stored) >= len(results)
        response = exchange(
            service.origin, changes_message(token, plant_lines(range(1, len(stored) + 10)))
        )
        errors = [error for _, error in numbers_of(read_lines(response.body))]
        assert errors == len(stored) * [40004] + 9 * [200]


@pytest.mark.parametrize("lame_duck", [0, 0.2])
def test_a_stop_ends_the_stream_after_the_lines_in_progress(
    tmp_path: Path, url: str, lame_duck: float
) -> None:
    service = Service(tmp_path, database=url, settings={"lame_duck": lame_duck})
    token = service.make_token()
    service.start()
    stream = ChangesStream(service.origin, token)
    with sending(stream):
        results = stream.take(700)
        service.process.send_signal(signal.SIGTERM)
        results += read_remaining_results(stream)
        assert service.process.wait(60) == 0
    numbers = numbers_of(results)
    has_error = numbers[-1][1] == 50301  # a client that is not reading gets no error
    count = len(numbers) - has_error
    assert numbers[:count] == [(line, 200) for line in range(1, count + 1)]
    with service:
        stored = list_ids(service, token)
    assert stored == list(range(1, len(stored) + 1))
    assert len(stored) == count if has_error else len(stored) >= count
    assert "Traceback" not in service.log()
