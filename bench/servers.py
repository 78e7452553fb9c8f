"""Runs the servers to measure, on one core, with the load on another, and always ends them."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from http.client import HTTPConnection
from pathlib import Path
from types import MappingProxyType

from msgspec import Struct

from tests.postgres.server import free_port

PYTHON = sys.executable
PLANTSTORE = (PYTHON, "-m", "plantstore")
ALL_CORES = sorted(os.sched_getaffinity(0))
SERVER_CORES = ALL_CORES[:1]
LOAD_CORES = ALL_CORES[-1:]
_POLL_SECONDS = 0.002
_TIMEOUT = 60.0
_OK = 200
_TICKS = os.sysconf("SC_CLK_TCK")


class WrongResponseError(Exception):
    """A server's response is not what the scenario expects, so there is nothing to measure."""


class Response(Struct, frozen=True):
    """A response as it was received."""

    status: int
    headers: list[tuple[bytes, bytes]]
    body: bytes


class Server(Struct, frozen=True):
    """A server that is ready."""

    origin: str
    pid: int

    def cpu_seconds(self) -> float:
        """Seconds of CPU used by all threads of the process."""
        fields = Path(f"/proc/{self.pid}/stat").read_text("utf-8").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / _TICKS  # utime, stime: see proc(5)

    def memory(self) -> float:
        """MiB of resident memory."""
        status = Path(f"/proc/{self.pid}/status").read_text("utf-8")
        kilobytes = status.partition("VmRSS:")[2].split(maxsplit=1)[0]
        return int(kilobytes) / 1024


@contextmanager
def running_service(
    database: str,
    folder: Path,
    command: Sequence[str] = PLANTSTORE,
    cores: Sequence[int] = SERVER_CORES,
    environ: Mapping[str, str] = MappingProxyType({}),
) -> Iterator[Server]:
    """Run ``plantstore serve`` on this database; ``environ`` has further settings."""
    port = free_port()
    settings = {"PLANTSTORE_DATABASE": database, "PLANTSTORE_PORT": str(port), **environ}
    with running_server([*command, "serve"], port, folder, settings, cores) as server:
        yield server


@contextmanager
def running_server(
    command: Sequence[str],
    port: int,
    folder: Path,
    environ: Mapping[str, str] = os.environ,
    cores: Sequence[int] = SERVER_CORES,
) -> Iterator[Server]:
    """Run a process that listens on this loopback port; yields once its ``/readyz`` is 200."""
    origin = f"http://127.0.0.1:{port}"
    with (folder / "log").open("ab") as log:
        process = subprocess.Popen(
            pin(command, cores), env={**os.environ, **environ}, stdout=log, stderr=log
        )
    try:
        wait_until_ready(origin)
        yield Server(origin, process.pid)
    finally:
        process.terminate()
        process.wait(_TIMEOUT)


def pin(command: Sequence[str], cores: Sequence[int]) -> list[str]:
    """The command that runs this command on these cores, with the same process id."""
    return ["taskset", "--cpu-list", ",".join(map(str, cores)), *command]


def wait_until_ready(origin: str) -> None:
    """Wait until ``/readyz`` is 200."""
    deadline = time.monotonic() + _TIMEOUT
    while time.monotonic() < deadline:
        try:
            if fetch(origin, "GET", "/readyz", {}).status == _OK:
                return
        except ConnectionError:
            time.sleep(_POLL_SECONDS)
    raise TimeoutError(f"{origin} does not become ready")


def fetch(
    origin: str, method: str, path: str, headers: dict[str, str], body: bytes | None = None
) -> Response:
    """Send a request to the server at this origin; return the response."""
    with closing(HTTPConnection(origin.removeprefix("http://"), timeout=_TIMEOUT)) as connection:
        connection.request(method, path, body, headers)
        response = connection.getresponse()
        content = response.read()
    pairs = [(name.encode(), value.encode()) for name, value in response.getheaders()]
    return Response(response.status, pairs, content)
