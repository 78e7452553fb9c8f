"""A service that stops answers the requests in flight, or closes; it loses nothing."""

import os
import re
import signal
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from plantstore.sqlite.connection import database_path, open_lock
from tests.faults.load import assert_whole, under_load
from tests.faults.processes import kill, worker_pids
from tests.http.blocking import FILLER, fill_store, in_flight_stream
from tests.http.fixtures import LISTS, make_fixture
from tests.http.raw import Connection
from tests.service import Service

STOPS = [signal.SIGTERM, signal.SIGINT, signal.SIGHUP]
OWN_GROUP = ("setsid", sys.executable, "-m", "plantstore")


@pytest.mark.parametrize("stop", STOPS)
def test_creates_in_flight_are_answered_or_closed(tmp_path: Path, stop: signal.Signals) -> None:
    service = Service(tmp_path)
    token = service.make_token()
    load_clients = []
    for round_number in range(3):
        service.start()
        with under_load(service, token, clients=8, first=8 * round_number) as new:
            time.sleep(0.2 + 0.05 * round_number)
            service.process.send_signal(stop)
            assert service.process.wait(60) == 0
        load_clients += new
    with service:
        assert_whole(service, "nursery", load_clients)
    assert "Traceback" not in service.log()
    assert set().union(*(load_client.statuses for load_client in load_clients)) <= {200, 204, 503}


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGHUP])
def test_a_terminals_signal_reaches_all_processes_and_the_status_is_0(
    tmp_path: Path, stop: signal.Signals
) -> None:
    """Ctrl-C, and the terminal's end, go to the whole group: the workers get them too."""
    service = Service(tmp_path, settings={"workers": 2}, command=OWN_GROUP)
    with service, under_load(service, service.make_token()) as load_clients:
        time.sleep(0.2)
        os.killpg(service.process.pid, stop)
        assert service.process.wait(60) == 0
    assert "Traceback" not in service.log()
    assert "died" not in service.log()
    with service:
        assert_whole(service, "nursery", load_clients)


def test_ctrl_c_before_the_workers_serve_ends_cleanly(tmp_path: Path) -> None:
    service = Service(tmp_path, settings={"workers": 2}, command=OWN_GROUP)
    service.launch()
    while not any(b"uvloop" in read_maps(pid) for pid in worker_pids(service)):
        assert service.process.poll() is None
    os.killpg(service.process.pid, signal.SIGINT)
    assert service.process.wait(60) == 0
    assert "Traceback" not in service.log()


def read_maps(pid: int) -> bytes:
    """The files that a process has loaded; those of a worker are loaded before it serves."""
    return Path(f"/proc/{pid}/maps").read_bytes()


@pytest.mark.parametrize("workers", [1, 2])
def test_under_nohup_it_outlives_its_terminal(tmp_path: Path, workers: int) -> None:
    command = ("setsid", "nohup", sys.executable, "-m", "plantstore")
    with Service(tmp_path, settings={"workers": workers}, command=command) as service:
        os.killpg(service.process.pid, signal.SIGHUP)
        time.sleep(1)
        assert httpx.get(f"{service.origin}/livez", verify=False).is_success
        assert service.stop() == 0
    assert "died" not in service.log()


@contextmanager
def half_a_create(service: Service, token: str) -> Iterator[tuple[socket.socket, bytes]]:
    """A connection on which half a create was sent, and the other half."""
    host, port = service.origin.removeprefix("http://").split(":")
    content = b'{"id": 7, "name": "Ficus"}'
    head = f"POST /plants HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\n"
    head += f"Content-Type: application/json\r\nContent-Length: {len(content)}\r\n\r\n"
    with socket.create_connection((host, int(port)), timeout=30) as connection:
        connection.sendall(head.encode() + content[:10])
        time.sleep(0.3)
        yield connection, content[10:]


def read_all(connection: socket.socket) -> bytes:
    answer = b""
    try:
        while part := connection.recv(65536):
            answer += part
    except ConnectionError:
        pass
    return answer


@pytest.mark.parametrize("stop", STOPS)
def test_a_request_whose_body_is_on_its_way_may_end(tmp_path: Path, stop: signal.Signals) -> None:
    with Service(tmp_path) as service:
        with half_a_create(service, service.make_token()) as (connection, rest):
            service.process.send_signal(stop)
            time.sleep(0.3)
            with pytest.raises(httpx.ConnectError):
                httpx.get(f"{service.origin}/livez")
            connection.sendall(rest)
            assert read_all(connection).startswith(b"HTTP/1.1 200 ")
        assert service.process.wait(60) == 0
    with service:
        assert [event.plant.id for event in service.events("nursery")] == [7]


def test_a_request_that_does_not_end_is_given_up_after_the_drain_timeout(tmp_path: Path) -> None:
    with (
        Service(tmp_path, settings={"drain_timeout": 0.5}) as service,
        half_a_create(service, service.make_token()) as (connection, _),
    ):
        service.process.send_signal(signal.SIGTERM)
        assert service.process.wait(30) == 0
        assert b" 200 " not in read_all(connection)
    assert "Traceback" not in service.log()


def test_a_list_that_nobody_takes_is_given_up_after_the_drain_timeout(
    tmp_path: Path, url: str
) -> None:
    with Service(tmp_path, database=url, settings={"drain_timeout": 0.5}) as service:
        scene = make_fixture(service)
        fill_store(service, scene.store, 40_000, size=250)
        with in_flight_stream(scene):
            service.process.send_signal(signal.SIGTERM)
            assert service.process.wait(30) == 0
    assert "Traceback" not in service.log()


def test_pages_that_nobody_takes_are_given_up_after_the_drain_timeout(tmp_path: Path) -> None:
    with Service(tmp_path, settings={"drain_timeout": 0.5}) as service:
        scene = make_fixture(service)
        fill_store(service, scene.store, 1000, size=250, filler=FILLER)
        with Connection(service.origin, receive_buffer=4096) as connection:
            connection.send(*[scene.message(LISTS[0])] * 20)
            assert connection.has_data(10)
            service.process.send_signal(signal.SIGTERM)
            assert service.process.wait(30) == 0
    assert "broken off: the service stops" in service.log()
    assert "Traceback" not in service.log()


def test_a_worker_that_hangs_does_not_hold_up_the_end_for_good(tmp_path: Path) -> None:
    settings = {"workers": 2, "drain_timeout": 0.5, "write_timeout": 0.5}
    with Service(tmp_path, settings=settings) as service:
        hanging = worker_pids(service)[0]
        os.kill(hanging, signal.SIGSTOP)
        try:
            service.process.send_signal(signal.SIGTERM)
            assert service.process.wait(30) == 0
            # Whether it is looked for before the end begins, or waited for at the end.
            assert re.search(f"worker {hanging} (died|does not end)", service.log())
        finally:
            kill(hanging)
    assert "Traceback" not in service.log()


def test_idle_connections_do_not_hold_up_the_end(tmp_path: Path) -> None:
    with Service(tmp_path) as service, service.client(service.make_token()) as client:
        assert client.get("/plants").status_code == 200
        service.process.send_signal(signal.SIGTERM)
        assert service.process.wait(20) == 0


def test_a_database_that_is_held_does_not_hold_up_the_end(tmp_path: Path) -> None:
    settings = {"write_timeout": 1, "drain_timeout": 1}
    with Service(tmp_path, settings=settings) as service:
        token = service.make_token()
        with (
            open_lock(database_path(service.database)) as lock,
            lock.held(),
            under_load(service, token),
        ):
            time.sleep(0.2)
            service.process.send_signal(signal.SIGTERM)
            assert service.process.wait(20) == 0
    with service:
        assert service.events("nursery") == []
