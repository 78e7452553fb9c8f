"""The service's start, and its memory when idle and while a long list is streamed."""

import os
import statistics
import time
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path

from bench.report import Figure
from bench.servers import MIB, Server, running_service
from bench.stores import Store, fill_store
from bench.wire import WrongResponseError

_STARTS = 7
_SETTLE_SECONDS = 1.0
_STREAMED = 10**6
_BYTES_A_SECOND = 10 * MIB
_READ = 64 * 1024


def measure_start(folder: Path) -> list[Figure]:
    """Start the service some times on an existing database, with its modules compiled."""
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    os.environ["PYTHONPYCACHEPREFIX"] = str(folder / "bytecode")
    store = fill_store(folder / "1000.db", 1000)
    starts = [_start(store, folder) for _ in range(_STARTS)]
    seconds, resident = (statistics.median(values) for values in zip(*starts, strict=True))
    return [
        Figure("start", "ms until ready", 1000 * seconds, 150),
        Figure("start", "MiB resident, idle", resident, 36),
    ]


def _start(store: Store, folder: Path) -> tuple[float, float]:
    """Seconds until it was ready, and MiB of memory."""
    begun = time.perf_counter()
    with running_service(store.database, folder) as service:
        seconds = time.perf_counter() - begun
        time.sleep(_SETTLE_SECONDS)
        return seconds, service.memory()


def measure_stream(folder: Path) -> list[Figure]:
    """Take a list of a million plants at 10 MiB a second."""
    store = fill_store(folder / f"{_STREAMED}.db", _STREAMED)
    with running_service(store.database, folder) as service:
        _take(service, store, "/plants?limit=1")  # what the first request needs is not the list's
        before = service.memory()
        service.reset_peak()
        if _take(service, store, "/plants") != _STREAMED:
            raise WrongResponseError("the list is not whole")
        growth = service.memory("VmHWM") - before
    return [Figure("stream", "MiB more for 10^6 plants to a slow client", growth, 20)]


def _take(service: Server, store: Store, path: str) -> int:
    """Take a list slowly; how many plants it has."""
    plants = 0
    with closing(HTTPConnection(service.origin.removeprefix("http://"))) as connection:
        connection.request("GET", path, headers={"Authorization": f"Bearer {store.token}"})
        response = connection.getresponse()
        while part := response.read(_READ):
            plants += part.count(b"{")
            time.sleep(len(part) / _BYTES_A_SECOND)
    return plants
