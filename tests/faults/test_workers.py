"""Workers that are killed, hang, cannot start, or lose their parent."""

import os
import signal
import sys
from contextlib import nullcontext
from functools import partial
from pathlib import Path

import pytest

from tests.faults.load import (
    assert_consistent,
    assert_integrity,
    under_load,
    wait_until_acknowledged,
)
from tests.faults.processes import kill, read_command, worker_pids
from tests.faults.two_processes import TwoProcesses
from tests.http.blocking import in_flight_request
from tests.http.fixtures import make_fixture
from tests.postgres.server import read_state
from tests.service import Service
from tests.waiting import responds, wait_until

PROGRAM = (sys.executable, "-m", "plantstore")
OWN_GROUP = ("setsid", *PROGRAM)
HANG_AT_SIGUSR2 = """
import signal, time
def hang(*_):
    time.sleep(1000)
signal.signal(signal.SIGUSR2, hang)
from plantstore.program import main
from plantstore.server import workers
workers._HANG_SECONDS = 4
main()
"""


def test_a_killed_worker_is_replaced(tmp_path: Path) -> None:
    with Service(tmp_path, settings={"workers": 2}) as service:
        token = service.make_token()
        with under_load(service, token) as load_clients:
            wait_until_acknowledged(load_clients, 20)
            (killed, other) = worker_pids(service)
            kill(killed)
        processes = TwoProcesses((service,))
        with under_load(service, token, first=4) as later, processes.clients(token):
            assert f"worker {killed} died by signal 9 (Killed)" in service.log()
            assert other in worker_pids(service)
            assert len(worker_pids(service)) == 2
        assert_consistent(service, "nursery", load_clients + later)
        assert_integrity(service)
        assert service.stop() == 0


def test_a_worker_that_dies_after_its_start_is_always_replaced(tmp_path: Path) -> None:
    settings = {"workers": 2, "server.workers._EARLY_SECONDS": 0}
    with Service(tmp_path, settings=settings) as service:
        for _ in range(6):
            pid = worker_pids(service)[0]
            kill(pid)
            wait_until(partial(has_replaced, service, pid))
        assert service.stop() == 0


def test_a_hanging_worker_is_replaced_and_does_not_delay_a_stop(tmp_path: Path) -> None:
    command = (sys.executable, "-c", HANG_AT_SIGUSR2)
    with Service(tmp_path, settings={"workers": 2}, command=command) as service:
        pid = hang(service)
        wait_until(partial(has_replaced, service, pid))
        assert f"worker {pid} died with exit status 1 and is replaced" in service.log()
        hang(service)
        assert service.stop() == 0
    assert service.log().count("in hang") == 2  # of the tracebacks


def hang(service: Service) -> int:
    """Make a worker hang; return its process id."""
    pid = find_worker(service)
    os.kill(pid, signal.SIGUSR2)
    return pid


def find_worker(service: Service) -> int:
    """The process id of a worker, once both workers serve."""
    with TwoProcesses((service,)).clients(None):
        return worker_pids(service)[0]


def has_replaced(service: Service, pid: int) -> bool:
    pids = worker_pids(service)
    return len(pids) == 2 and pid not in pids


def test_workers_that_cannot_start_end_the_service(tmp_path: Path) -> None:
    settings = {"workers": 2, "server.workers._DELAY": 0.1}
    with Service(tmp_path, settings=settings) as service:
        pid = find_worker(service)
        for file in tmp_path.glob("plants.db*"):
            file.rename(f"{file}.deleted")
        kill(pid)
        assert service.process.wait(60) == 1
    log = service.log()
    assert log.count("a worker cannot start: there is no database") >= 4
    assert not list(tmp_path.glob("plants.db"))  # SQLite would delete the WAL of a new file
    assert "died with exit status 1 and is replaced in 0.4 s" in log
    assert log.count("died with exit status 1, like 4 before it") == 1
    assert "stopping the service" in log
    assert "Traceback" not in log


@pytest.mark.parametrize("is_busy", [False, True])
def test_workers_end_when_their_parent_is_killed(tmp_path: Path, *, is_busy: bool) -> None:
    service = Service(tmp_path, settings={"workers": 2}).start()
    pids = worker_pids(service)
    try:
        with in_flight_request(make_fixture(service)) if is_busy else nullcontext():
            service.kill()
            wait_until(lambda: not responds(f"{service.origin}/livez"))
            if is_busy:  # one worker has ended, the other sleeps until its request ends
                wait_until(lambda: {read_state(pid) for pid in pids} in ({"S", ""}, {"S", "Z"}))
        wait_until(lambda: not any(map(read_command, pids)))
    finally:
        for pid in pids:
            kill(pid)


def test_workers_end_with_the_service_on_each_signal(tmp_path: Path) -> None:
    """A terminal's SIGINT reaches all processes; SIGTERM reaches only the parent."""
    service = Service(tmp_path, settings={"workers": 2}, command=OWN_GROUP)
    token = service.make_token()
    load_clients = []
    for round_number, stop in enumerate((signal.SIGTERM, signal.SIGINT)):
        service.start()
        pids = worker_pids(service)
        assert len(pids) == 2
        with under_load(service, token, first=4 * round_number) as new:
            wait_until_acknowledged(new, 20)
            send = os.kill if stop is signal.SIGTERM else os.killpg
            send(service.process.pid, stop)
            assert service.process.wait(60) == 0
        assert not any(map(read_command, pids))
        load_clients += new
    assert "Traceback" not in service.log()
    assert "died" not in service.log()
    with service:
        assert_consistent(service, "nursery", load_clients)


def test_ctrl_c_before_the_workers_serve_stops_cleanly(tmp_path: Path) -> None:
    service = Service(tmp_path, settings={"workers": 2}, command=OWN_GROUP)
    service.launch()
    while not worker_pids(service):
        assert service.process.poll() is None
    os.killpg(service.process.pid, signal.SIGINT)
    assert service.process.wait(60) == 0
    assert "Traceback" not in service.log()
