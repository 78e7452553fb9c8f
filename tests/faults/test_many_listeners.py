"""A thousand listeners cost next to nothing while nothing happens, and each hears what does."""

import resource
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from tests.faults.processes import read_cpu_seconds
from tests.http.calls import create_plant
from tests.http.event_stream import EventStream
from tests.service import Service

LISTENERS = 1000
SECONDS = 3.0  # of silence, with several looks for what a token may see
MAX_CPU_SECONDS = 0.08  # it takes 0.02; a query or a timer of each listener took 0.1 and 0.24


@contextmanager
def many_files() -> Iterator[None]:
    """Let this process have as many files as it may."""
    before, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (before, most))


def test_a_thousand_listeners_cost_nothing_until_something_happens(tmp_path: Path) -> None:
    settings = {"max_listeners": 4 * LISTENERS, "max_connections": 2 * LISTENERS}
    with many_files(), Service(tmp_path, settings=settings) as service, ExitStack() as stack:
        token = service.make_token()
        streams = [
            stack.enter_context(EventStream(service.origin, token)) for _ in range(LISTENERS)
        ]
        for stream in streams:
            assert next(stream.blocks())["id"] == "0"
        before = read_cpu_seconds(service.process.pid)
        time.sleep(SECONDS)
        assert read_cpu_seconds(service.process.pid) - before < MAX_CPU_SECONDS
        with service.client(token) as client:
            create_plant(client, 1, "Fern")
            client.delete("/plants/1").raise_for_status()
        for stream in streams:
            kinds = [event["kind"] for event in stream.take(2)]
            assert kinds == ["plant.created", "plant.deleted"]
