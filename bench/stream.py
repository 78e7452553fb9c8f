"""How much more memory the service needs while a slow client takes a long list."""

import socket
import time
from pathlib import Path
from urllib.parse import urlsplit

from msgspec import Struct

from bench.load import WrongAnswersError
from bench.processes import MIB, read_peak, read_resident, reset_peak
from bench.servers import running_service
from bench.stores import STORE, fill_store
from tests.service import Service

_PLANTS = 10**6
_BYTES_A_SECOND = 10 * MIB
_READ = 64 * 1024
_TIMEOUT = 30.0


class StreamResult(Struct, frozen=True):
    """MiB before, and MiB more at the most while the plants were sent, in so many seconds."""

    before: float
    growth: float
    seconds: float


def measure_stream(folder: Path) -> StreamResult:
    """Take a store of a million plants, at 10 MiB a second."""
    database = fill_store(folder / f"{_PLANTS}.db", _PLANTS)
    with running_service(folder / "service", database) as service:
        token = service.make_token(STORE, "bench")
        _take(service, token, "/plants?limit=1")  # what the first request needs is not the list's
        pid = service.process.pid
        before = read_resident(pid)
        reset_peak(pid)
        begun = time.perf_counter()
        if _take(service, token, "/plants") != _PLANTS:
            raise WrongAnswersError("the list is not whole")
        return StreamResult(before, read_peak(pid) - before, time.perf_counter() - begun)


def _take(service: Service, token: str, path: str) -> int:
    """Take a list slowly; how many plants it has."""
    address = urlsplit(service.origin)
    request = f"GET {path} HTTP/1.1\r\nHost: bench\r\nConnection: close\r\n"
    with socket.create_connection((address.hostname, address.port), _TIMEOUT) as connection:
        connection.sendall(f"{request}Authorization: Bearer {token}\r\n\r\n".encode())
        plants = 0
        while received := connection.recv(_READ):
            plants += received.count(b"{")
            time.sleep(len(received) / _BYTES_A_SECOND)
        return plants
