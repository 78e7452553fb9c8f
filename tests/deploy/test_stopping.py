"""A stop is announced, completes received requests, and ends early on a second signal."""

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from tests.faults.test_drain import create_without_its_body
from tests.http.expect import expect_error
from tests.http.fixtures import CREATES, LISTS, StoreFixture, make_fixture
from tests.http.raw import LIVE, Connection, Message
from tests.postgres.server import read_state
from tests.service import Service
from tests.waiting import responds, wait_until

READY = Message("GET", "/readyz")
LONG = 10_000
# The signals that a shell's background jobs ignore.
IGNORE = 'trap "" INT QUIT; exec "$@"'
IN_BACKGROUND = ("sh", "-c", IGNORE, "sh", sys.executable, "-m", "plantstore")


def create(fixture: StoreFixture, plant_id: int) -> Message:
    body = b'{"id": %d, "name": "Fern"}' % plant_id
    return fixture.message(CREATES[0]).with_body(body)


@contextmanager
def stopped_process(pid: int) -> Iterator[None]:
    """Suspend the process during the block."""
    os.kill(pid, signal.SIGSTOP)
    wait_until(lambda: read_state(pid) == "T", pause=0.002)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGCONT)


@pytest.mark.parametrize("workers", [1, 2])
def test_a_stopping_service_is_not_ready_but_still_serves(tmp_path: Path, workers: int) -> None:
    settings = {"lame_duck": LONG, "workers": workers}
    with Service(tmp_path, settings=settings) as service, ExitStack() as stack:
        fixture = make_fixture(service)
        listing = fixture.message(LISTS[0])
        open_connections = [stack.enter_context(Connection(service.origin)) for _ in range(8)]
        for connection in open_connections:
            assert not connection.request(listing).closes
        service.process.send_signal(signal.SIGTERM)
        stopping: set[str] = set()
        while len(stopping) < workers:
            stopping |= find_stopping(service)
        for number, connection in enumerate(open_connections):
            message = create(fixture, 10 + number) if number % 2 else listing
            response = connection.request(message)
            assert response.status == 200
            assert response.closes
            assert connection.read_to_end() == b""
        service.process.send_signal(signal.SIGTERM)  # again, to stop immediately
        assert service.process.wait(30) == 0
    assert "Traceback" not in service.log()
    assert "WARNING" not in service.log()  # from readiness checks


def find_stopping(service: Service) -> set[str]:
    """The process that serves a new connection, if its readiness says that it is stopping."""
    with Connection(service.origin) as connection:
        response = connection.request(READY)
        if response.status == 200:
            return set()
        expect_error(response, 50301)
        assert response.json["message"] == "the service is stopping"
        assert response.closes
        return {response.headers["x-request-id"].split("-")[0]}


def test_the_service_ends_after_its_lame_duck_time(tmp_path: Path) -> None:
    with (
        Service(tmp_path, settings={"lame_duck": 0.5}) as service,
        Connection(service.origin) as idle,
    ):
        assert idle.request(LIVE).status == 200
        assert service.stop() == 0


@pytest.mark.parametrize(
    ("second", "command"),
    [
        (signal.SIGTERM, ()),
        (signal.SIGINT, ()),
        (signal.SIGQUIT, ()),
        (signal.SIGTERM, IN_BACKGROUND),
    ],
)
@pytest.mark.parametrize("workers", [1, 2])
def test_a_second_signal_ends_the_drain(
    tmp_path: Path, workers: int, second: int, command: tuple[str, ...]
) -> None:
    """The request in flight gets an error, and the service ends."""
    settings = {"drain_timeout": LONG, "body_timeout": LONG, "workers": workers}
    with Service(tmp_path, settings=settings, command=command) as service:
        token = service.make_token()
        with create_without_its_body(service, token) as connection:
            service.process.send_signal(signal.SIGTERM)
            wait_until(lambda: not responds(f"{service.origin}/livez"))
            service.process.send_signal(second)
            expect_error(connection.receive(), 50303)
            assert service.process.wait(30) == 0
    assert "Traceback" not in service.log()


def test_requests_received_before_a_stop_are_completed(tmp_path: Path) -> None:
    """On open connections, and on connections that were not accepted yet."""
    with Service(tmp_path) as service, ExitStack() as stack:
        fixture = make_fixture(service)
        open_connections = [stack.enter_context(Connection(service.origin)) for _ in range(5)]
        for connection in open_connections:
            assert connection.request(LIVE).status == 200
        with stopped_process(service.process.pid):
            new_connections = [stack.enter_context(Connection(service.origin)) for _ in range(5)]
            for number, connection in enumerate(open_connections + new_connections):
                connection.send(create(fixture, 10 + number))
            service.process.send_signal(signal.SIGTERM)
        for connection in open_connections + new_connections:
            response = connection.receive("POST")
            assert response.status == 200
        assert service.process.wait(30) == 0
