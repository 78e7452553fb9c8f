"""A service that is killed, or stopped, in the middle of a body with many changes."""

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
    ids_in,
    numbers_of,
    plant_lines,
    read_lines,
)
from tests.http.raw import exchange
from tests.service import Service

PORTION = 500


@contextmanager
def sending(stream: ChangesStream) -> Iterator[None]:
    """Send plants with the ids from 1 without an end, while their results are read."""

    def send() -> None:
        with suppress(OSError):
            for first in itertools.count(1, PORTION):
                stream.send(plant_lines(range(first, first + PORTION)))

    thread = threading.Thread(target=send, daemon=True)
    thread.start()
    with closing(stream.connection):
        yield
    thread.join()


def read_to_the_end(stream: ChangesStream) -> Iterator[Result]:
    """The results that still come; the connection may end anywhere."""
    with suppress(AssertionError, OSError):
        yield from stream.results()


@ON_BOTH
def test_what_was_told_is_there_after_a_kill(tmp_path: Path, url: str) -> None:
    service = Service(tmp_path, database=url)
    token = service.make_token()
    service.start()
    stream = ChangesStream(service.origin, token)
    with sending(stream):
        told = stream.take(700)
        service.kill()
        told += read_to_the_end(stream)
    assert numbers_of(told) == [(line, 200) for line in range(1, len(told) + 1)]
    with service:
        stored = ids_in(service, token)
        assert stored == list(range(1, len(stored) + 1))
        assert len(stored) >= len(told)
        again = exchange(
            service.origin, changes_message(token, plant_lines(range(1, len(stored) + 10)))
        )
        errors = [error for _, error in numbers_of(read_lines(again.body))]
        assert errors == len(stored) * [40004] + 9 * [200]


@pytest.mark.parametrize("lame_duck", [0, 0.2])
def test_a_stop_ends_it_after_the_lines_that_were_begun(
    tmp_path: Path, url: str, lame_duck: float
) -> None:
    service = Service(tmp_path, database=url, settings={"lame_duck": lame_duck})
    token = service.make_token()
    service.start()
    stream = ChangesStream(service.origin, token)
    with sending(stream):
        told = stream.take(700)
        service.process.send_signal(signal.SIGTERM)
        told += read_to_the_end(stream)
        assert service.process.wait(60) == 0
    results = numbers_of(told)
    said_so = results[-1][1] == 50301  # a client that just then does not read is not told
    count = len(results) - said_so
    assert results[:count] == [(line, 200) for line in range(1, count + 1)]
    with service:
        stored = ids_in(service, token)
    assert stored == list(range(1, len(stored) + 1))
    assert len(stored) == count if said_so else len(stored) >= count
    assert "Traceback" not in service.log()
