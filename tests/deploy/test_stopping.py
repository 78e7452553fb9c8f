"""A stop is announced, answers what has arrived, resets nobody, and can be hurried."""

import itertools
import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from tests.faults.test_drain import create_without_its_body, refuses_connections
from tests.http.expect import expect_error
from tests.http.fixtures import CREATES, LISTS, StoreFixture, make_fixture
from tests.http.raw import LIVE, Connection, Message
from tests.postgres.server import read_state
from tests.service import Service
from tests.waiting import wait_until

READY = Message("GET", "/readyz")
LONG = 10_000


def create(fixture: StoreFixture, plant_id: int) -> Message:
    body = b'{"id": %d, "name": "Fern"}' % plant_id
    return fixture.message(CREATES[0]).carrying(body)


@contextmanager
def stopped_process(pid: int) -> Iterator[None]:
    """Nothing is done by the process until the end of the block."""
    os.kill(pid, signal.SIGSTOP)
    wait_until(lambda: read_state(pid) == "T", pause=0.002)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGCONT)


@pytest.mark.parametrize("workers", [1, 2])
def test_a_stop_is_announced_while_all_goes_on(tmp_path: Path, workers: int) -> None:
    settings = {"lame_duck": LONG, "workers": workers}
    with Service(tmp_path, settings=settings) as service, ExitStack() as stack:
        fixture = make_fixture(service)
        a_list = fixture.message(LISTS[0])
        kept = [stack.enter_context(Connection(service.origin)) for _ in range(8)]
        for connection in kept:
            assert not connection.ask(a_list).closes
        service.process.send_signal(signal.SIGTERM)
        stopping: set[str] = set()
        while len(stopping) < workers:
            stopping |= find_stopping(service)
        for number, connection in enumerate(kept):
            message = create(fixture, 10 + number) if number % 2 else a_list
            response = connection.ask(message)
            assert response.status == 200
            assert response.closes
            assert connection.read_to_end() == b""
        service.process.send_signal(signal.SIGTERM)  # once more, for at once
        assert service.process.wait(30) == 0
    assert "Traceback" not in service.log()
    assert "WARNING" not in service.log()  # of checks whether it is ready


def find_stopping(service: Service) -> set[str]:
    """The process that answers a new connection, if it says that the service is stopping."""
    with Connection(service.origin) as connection:
        response = connection.ask(READY)
        if response.status == 200:
            return set()
        expect_error(response, 50301)
        assert response.json["message"] == "the service is stopping"
        assert response.closes
        return {response.headers["x-request-id"].split("-")[0]}


def test_after_it_the_service_ends(tmp_path: Path) -> None:
    with (
        Service(tmp_path, settings={"lame_duck": 0.5}) as service,
        Connection(service.origin) as idle,
    ):
        assert idle.ask(LIVE).status == 200
        assert service.stop() == 0


@pytest.mark.parametrize("second", [signal.SIGTERM, signal.SIGINT, signal.SIGQUIT])
@pytest.mark.parametrize("workers", [1, 2])
def test_a_second_signal_ends_the_drain(tmp_path: Path, workers: int, second: int) -> None:
    expect_end_at_second(tmp_path, workers, second)


@pytest.mark.parametrize("workers", [1, 2])
def test_a_second_signal_ends_the_drain_of_a_background_job(tmp_path: Path, workers: int) -> None:
    ignoring = ("sh", "-c", 'trap "" INT QUIT; exec "$@"', "sh", sys.executable, "-m", "plantstore")
    expect_end_at_second(tmp_path, workers, signal.SIGTERM, ignoring)


def expect_end_at_second(
    tmp_path: Path,
    workers: int,
    second: int,
    command: tuple[str, ...] = (),
) -> None:
    """A service with a request in flight, stopped twice, answers it and ends."""
    settings = {"drain_timeout": LONG, "body_timeout": LONG, "workers": workers}
    with Service(tmp_path, settings=settings, command=command) as service:
        token = service.make_token()
        with create_without_its_body(service, token) as connection:
            service.process.send_signal(signal.SIGTERM)
            wait_until(lambda: refuses_connections(service))
            service.process.send_signal(second)
            expect_error(connection.receive(), 50303)
            assert service.process.wait(30) == 0
    assert "Traceback" not in service.log()


def test_what_has_arrived_at_a_stop_is_answered(tmp_path: Path) -> None:
    """On connections that were kept, and on those that were not accepted yet."""
    with Service(tmp_path) as service, ExitStack() as stack:
        fixture = make_fixture(service)
        kept = [stack.enter_context(Connection(service.origin)) for _ in range(5)]
        for connection in kept:
            assert connection.ask(LIVE).status == 200
        with stopped_process(service.process.pid):
            fresh = [stack.enter_context(Connection(service.origin)) for _ in range(5)]
            for number, connection in enumerate(kept + fresh):
                connection.send(create(fixture, 10 + number))
            service.process.send_signal(signal.SIGTERM)
        for connection in kept + fresh:
            response = connection.receive("POST")
            assert response.status == 200
        assert service.process.wait(30) == 0


class CreatingClient(threading.Thread):
    """Creates plants until the service ends: on one connection, or each on its own.

    ``unanswered`` is the last plant's id if nothing was answered, else 0.
    """

    def __init__(self, fixture: StoreFixture, number: int) -> None:
        super().__init__(daemon=True)
        self.was_reset = False
        self.was_answered = False  # on the last connection
        self.unanswered = 0
        self._fixture = fixture
        self._ids = itertools.count((number + 1) * 1_000_000)
        self._keeps = number % 2 == 0

    def run(self) -> None:
        try:
            while True:
                self.was_answered = False
                with Connection(self._fixture.service.origin) as connection:
                    self._create_on(connection)
        except ConnectionRefusedError:
            return
        except OSError:
            self.was_reset = True
        except AssertionError:  # closed, without a response
            return

    def _create_on(self, connection: Connection) -> None:
        is_open = True
        while is_open:
            self.unanswered = next(self._ids)
            message = create(self._fixture, self.unanswered)
            message = message if self._keeps else message.adding("Connection", "close")
            is_open = not connection.ask(message).closes
            self.was_answered, self.unanswered = True, 0


def wait_for_plants(fixture: StoreFixture, count: int) -> None:
    wait_until(lambda: fixture.plants().count(b"name") > count)


def test_kept_connections_are_not_reset_and_what_was_not_answered_was_not_done(
    tmp_path: Path,
) -> None:
    service = Service(tmp_path)
    unanswered = set()
    for number in range(2):
        service.start()
        fixture = make_fixture(service)
        clients = [CreatingClient(fixture, number * 20 + one) for one in range(20)]
        for client in clients:
            client.start()
        wait_for_plants(fixture, 500)
        assert service.stop() == 0
        for client in clients:
            client.join(30)
            # One that was made between the last accept and the close may be reset.
            assert not (client.was_reset and client.was_answered)
        unanswered |= {client.unanswered for client in clients}
        with service.administration() as administration:
            done = {event.plant.id for event in administration.list_events(fixture.store)}
        assert not done & unanswered
