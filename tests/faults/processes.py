"""The processes of a service with workers."""

import os
import signal
from pathlib import Path

from tests.service import Service
from tests.waiting import wait_until


def worker_pids(service: Service) -> list[int]:
    children = Path(f"/proc/{service.process.pid}/task/{service.process.pid}/children").read_text()
    return [int(pid) for pid in children.split()]


def read_command(pid: int) -> bytes:
    """A process's command line; empty if the process has ended."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def kill_all(service: Service) -> None:
    """Kill the service with its workers, which to them is like a power loss."""
    workers = worker_pids(service)
    service.kill()
    for pid in workers:
        kill(pid)


def kill(pid: int) -> None:
    """Kill a process, and wait until its files are closed."""
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return
    wait_until(lambda: _has_ended(pid), pause=0.002)


def _has_ended(pid: int) -> bool:
    """Whether all threads have ended; until then its files may be open and locked."""
    try:
        stats = [stat.read_text("ascii") for stat in Path(f"/proc/{pid}/task").glob("*/stat")]
    except OSError:  # a thread ended just now
        return False
    return all(stat.rpartition(")")[2].split()[0] in "ZX" for stat in stats)
