"""Workers that are killed, cannot start, or are left alone."""

import os
import re
import resource
import signal
import sys
from pathlib import Path

from tests.faults.load import assert_integrity, assert_whole, under_load, wait_until_acknowledged
from tests.faults.processes import kill, read_command, worker_pids
from tests.faults.test_drain import refuses_connections
from tests.faults.two_processes import TwoProcesses
from tests.http.blocking import in_flight_request
from tests.http.fixtures import make_fixture
from tests.postgres.server import read_state
from tests.service import Service
from tests.waiting import wait_until

PROGRAM = (sys.executable, "-m", "plantstore")
OWN_GROUP = ("setsid", *PROGRAM)


def test_a_worker_that_is_killed_is_replaced(tmp_path: Path) -> None:
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
        assert_whole(service, "nursery", load_clients + later)
        assert_integrity(service)
        assert service.stop() == 0


def test_workers_that_cannot_start_end_the_service(tmp_path: Path) -> None:
    with Service(tmp_path, settings={"workers": 2}) as service:
        for file in tmp_path.glob("plants.db*"):
            file.rename(f"{file}.deleted")
        kill(worker_pids(service)[0])
        assert service.process.wait(60) == 1
    log = service.log()
    assert log.count("a worker cannot start: there is no database") >= 4
    assert not list(tmp_path.glob("plants.db"))  # for which SQLite would delete a WAL
    assert "died with exit status 1 and is replaced in 2 s" in log
    assert log.count("died with exit status 1, like 4 before it") == 1
    assert "stopping the service" in log
    assert "Traceback" not in log


def test_a_worker_that_cannot_be_started_ends_the_service(tmp_path: Path) -> None:
    with Service(tmp_path, settings={"workers": 2}) as service:
        killed, other = worker_pids(service)
        # As on a machine where no process is left, and no open file, for the next worker.
        resource.prlimit(service.process.pid, resource.RLIMIT_NOFILE, (4, 4))
        kill(killed)
        assert service.process.wait(60) == 1
        assert not read_command(other)
    assert "a worker cannot be started: stopping the service" in service.log()


def test_workers_do_not_outlive_the_process_that_started_them(tmp_path: Path) -> None:
    service = Service(tmp_path, settings={"workers": 2}).start()
    pids = worker_pids(service)
    try:
        service.kill()
        wait_until(lambda: not any(map(read_command, pids)))
    finally:
        for pid in pids:
            kill(pid)


def test_workers_that_were_left_alone_rest_while_they_finish(tmp_path: Path) -> None:
    service = Service(tmp_path, settings={"workers": 2}).start()
    pids = worker_pids(service)
    try:
        with in_flight_request(make_fixture(service)):
            service.kill()
            wait_until(lambda: refuses_connections(service))
            # One has ended, the other is asleep.
            wait_until(lambda: {read_state(pid) for pid in pids} in ({"S", ""}, {"S", "Z"}))
    finally:
        for pid in pids:
            kill(pid)


def test_the_workers_end_with_the_service(tmp_path: Path) -> None:
    """Whichever signal stops it; a terminal's reaches all processes, others the first."""
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


def test_a_worker_that_hangs_does_not_hold_up_the_end_for_good(tmp_path: Path) -> None:
    settings = {"workers": 2, "drain_timeout": 0.5, "write_timeout": 0.5}
    hurry = "from plantstore.server import workers; workers._END_SECONDS = 0.5"
    command = (sys.executable, "-c", f"{hurry}; from plantstore.cli import main; main()")
    with Service(tmp_path, settings=settings, command=command) as service:
        hanging = worker_pids(service)[0]
        os.kill(hanging, signal.SIGSTOP)
        try:
            service.process.send_signal(signal.SIGTERM)
            assert service.process.wait(30) == 0
            # Whether it is looked for before the end begins, or waited for at the end.
            assert re.search(f"worker {hanging} (died|hangs|does not stop)", service.log())
        finally:
            kill(hanging)
    assert "Traceback" not in service.log()
