"""How long the service takes to be ready, and how much memory it has then."""

import os
import socket
import statistics
import subprocess
import time
from pathlib import Path

from msgspec import Struct

from bench.answers import Asked, fetch
from bench.cores import pin_to_server_core
from bench.processes import read_resident
from bench.servers import PYTHON
from bench.stores import fill_store

_STARTS = 7
_POLL_SECONDS = 0.002
_MOST_SECONDS = 30.0
_SETTLE_SECONDS = 1.0
_READY = Asked("GET", "/readyz", {})
_OK = 200


class StartResult(Struct, frozen=True):
    """Seconds of each start until ``/readyz`` was 200, and MiB of the idle process."""

    seconds: list[float]
    idle: float

    @property
    def median(self) -> float:
        """The median start's seconds."""
        return statistics.median(self.seconds)


def measure_start(folder: Path) -> StartResult:
    """Start the service some times on an existing database."""
    database = fill_store(folder / "start.db", 1000)
    starts = [_start_once(database) for _ in range(_STARTS)]
    return StartResult([seconds for seconds, _ in starts], starts[-1][1])


def _start_once(database: Path) -> tuple[float, float]:
    port = _find_port()
    environ = os.environ | {
        "PLANTSTORE_DATABASE": f"sqlite:///{database}",
        "PLANTSTORE_PORT": str(port),
    }
    command = pin_to_server_core((PYTHON, "-m", "plantstore", "serve"))
    begun = time.perf_counter()
    with subprocess.Popen(command, env=environ, stderr=subprocess.DEVNULL) as process:
        try:
            _wait_until_ready(f"http://127.0.0.1:{port}", begun)
            seconds = time.perf_counter() - begun
            time.sleep(_SETTLE_SECONDS)
            return seconds, read_resident(process.pid)
        finally:
            process.terminate()


def _wait_until_ready(origin: str, begun: float) -> None:
    while time.perf_counter() - begun < _MOST_SECONDS:
        try:
            if fetch(origin, _READY).status == _OK:
                return
        except ConnectionError:
            time.sleep(_POLL_SECONDS)
    raise TimeoutError("the service does not become ready")


def _find_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port
