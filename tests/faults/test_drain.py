"""A stopping service completes requests in flight, or closes their connections."""

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import httpx
import pytest

from plantstore.sqlite.connection import database_path
from plantstore.sqlite.file_lock import FileLock
from tests.faults.load import assert_consistent, under_load, wait_until_acknowledged
from tests.http.blocking import FILLER, fill_store, in_flight_stream
from tests.http.fixtures import LISTS, make_fixture
from tests.http.raw import Connection, Message
from tests.service import Service
from tests.waiting import responds, wait_until

CREATE = Message("POST", "/plants").with_body(b'{"id": 7, "name": "Ficus"}')


@contextmanager
def create_without_its_body(service: Service, token: str) -> Iterator[Connection]:
    """A connection on which the service waits for the body of ``CREATE``."""
    create = CREATE.with_header("Authorization", f"Bearer {token}").with_header(
        "Expect", "100-continue"
    )
    with Connection(service.origin) as connection:
        connection.send(create.head())
        assert connection.receive().status == 100
        yield connection


def test_a_stop_completes_requests_in_flight_or_closes_connections(tmp_path: Path) -> None:
    service = Service(tmp_path)
    token, other = service.make_token(), service.make_token("other")
    load_clients = []
    for number, stop in enumerate((signal.SIGTERM, signal.SIGINT)):
        service.start()
        with (
            create_without_its_body(service, other) as connection,
            under_load(service, token, clients=8, first=8 * number) as new,
        ):
            wait_until_acknowledged(new, 20)
            service.process.send_signal(stop)
            wait_until(lambda: not responds(f"{service.origin}/livez"))
            connection.send(CREATE.body)
            assert connection.receive().status == (400 if number else 200)
            assert service.process.wait(60) == 0
        load_clients += new
    with service, service.client(token) as client:
        assert_consistent(service, "nursery", load_clients)
        stored = {plant["id"] for plant in client.get("/plants?include=id").json()}
        for load_client in load_clients:  # without a response nothing was done
            assert load_client.unknown & stored == load_client.unknown & load_client.acknowledged
        assert [event.plant.id for event in service.events("other")] == [7]
    assert "Traceback" not in service.log()
    assert {error // 100 for client in load_clients for error in client.refusals} <= {503}


@pytest.mark.parametrize("workers", [1, 2])
def test_a_service_stops_when_its_terminal_closes(tmp_path: Path, workers: int) -> None:
    terminal = (sys.executable, "-c", "import pty, sys; pty.spawn(sys.argv[1:])")
    command = (*terminal, sys.executable, "-m", "plantstore")
    with Service(tmp_path, settings={"workers": workers}, command=command) as service:
        service.kill()
        wait_until(lambda: not responds(f"{service.origin}/livez"))
    with service:  # no process uses the database any more
        assert "Traceback" not in service.log()


def test_a_service_under_nohup_survives_its_terminal(tmp_path: Path) -> None:
    command = ("setsid", "nohup", sys.executable, "-m", "plantstore")
    with Service(tmp_path, settings={"workers": 2}, command=command) as service:
        os.killpg(service.process.pid, signal.SIGHUP)
        for _ in range(50):
            assert httpx.get(f"{service.origin}/livez", verify=False).is_success
        assert service.stop() == 0
    assert "died" not in service.log()


def test_unfinished_requests_are_aborted_after_drain_timeout(tmp_path: Path) -> None:
    """A create without its body, a list that is not read, and responses that are not read."""
    with Service(tmp_path, settings={"drain_timeout": 0.5}) as service:
        long, short = make_fixture(service), make_fixture(service)
        fill_store(service, long.store, 40_000, size=250)
        fill_store(service, short.store, 1000, size=250, filler=FILLER)
        with (
            create_without_its_body(service, short.token),
            in_flight_stream(long),
            Connection(service.origin, receive_buffer=4096) as pipeline,
        ):
            pipeline.send(*[short.message(LISTS[0])] * 20)
            assert pipeline.has_data(10)
            service.process.send_signal(signal.SIGTERM)
            assert service.process.wait(30) == 0
    assert "INFO plantstore.server.connection: a response was aborted: the serv" in service.log()
    assert "Traceback" not in service.log()


def test_a_locked_database_does_not_delay_the_stop(tmp_path: Path) -> None:
    settings = {"write_timeout": 0.3, "drain_timeout": 0.3}
    with Service(tmp_path, settings=settings) as service:
        token = service.make_token()
        with (
            closing(FileLock(database_path(service.database))) as lock,
            lock.held(),
            create_without_its_body(service, token) as connection,
        ):
            connection.send(CREATE.body)
            service.process.send_signal(signal.SIGTERM)
            assert service.process.wait(20) == 0
    with service:
        assert service.events("nursery") == []
