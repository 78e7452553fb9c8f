"""Many plants in one request: how many a second are stored, each with its result, and its cost."""

import socket
import statistics
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from http.client import HTTPResponse
from pathlib import Path
from time import perf_counter
from urllib.parse import urlsplit

from msgspec import Struct

from bench.report import Figure
from bench.servers import Server, running_service
from bench.stores import Store, make_store
from bench.wire import WrongResponseError

_RUNS = 5
_PLANTS = 200_000
_PLANT = b'{"id":%d,"name":"Monstera deliciosa","tag":"tropical"}\n'
_HEAD = (
    "POST /plants HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer {token}\r\n"
    "Content-Type: application/x-ndjson\r\nContent-Length: {length}\r\n\r\n"
)


class _Run(Struct, frozen=True):
    """Plants a second, and the service's microseconds of CPU for each."""

    rate: float
    cpu: float


def measure_bulk(folder: Path) -> list[Figure]:
    """Send plants on one connection, new ones in each run; then some of them again."""
    store = make_store(f"sqlite:///{folder / 'bulk.db'}", 0)
    with running_service(store.database, folder) as service, ThreadPoolExecutor() as threads:
        _send(service, store, threads, 0, 200)  # a warm-up
        service.reset_peak()
        before = service.memory()
        runs = [_send(service, store, threads, number, 200) for number in range(1, _RUNS + 1)]
        growth = service.memory("VmHWM") - before
        again = _send(service, store, threads, 1, 400)
    rate, cpu = (statistics.median(getattr(run, it) for run in runs) for it in ("rate", "cpu"))
    return [
        Figure(
            "bulk",
            f"plants/s on one connection, {cpu:.0f} µs of CPU each",
            rate,
            20_000,
            at_least=True,
        ),
        Figure("bulk", "plants/s, sent again", again.rate, 20_000, at_least=True),
        Figure("bulk", f"MiB more for {_RUNS} × {_PLANTS:,} plants", growth, 32),
    ]


def _send(
    service: Server, store: Store, threads: ThreadPoolExecutor, number: int, status: int
) -> _Run:
    first = number * _PLANTS
    body = b"".join(_PLANT % plant_id for plant_id in range(first, first + _PLANTS))
    head = _HEAD.format(token=store.token, length=len(body)).encode()
    address = urlsplit(service.origin)
    with closing(socket.create_connection((address.hostname, address.port))) as connection:
        cpu, begun = service.cpu_seconds(), perf_counter()
        sending = threads.submit(connection.sendall, head + body)
        results = _receive(connection)
        seconds = perf_counter() - begun
        sending.result()
    if results.count(b'"status":%d' % status) != _PLANTS:
        raise WrongResponseError(f"not every plant gives {status}: {results[:500]!r}")
    return _Run(_PLANTS / seconds, 1e6 * (service.cpu_seconds() - cpu) / _PLANTS)


def _receive(connection: socket.socket) -> bytes:
    with closing(HTTPResponse(connection)) as response:
        response.begin()
        return response.read()
