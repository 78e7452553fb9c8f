"""How long a user waits for a list while another user floods the service, by that when it is quiet.

The user's list comes from memory, on a connection that is kept, with a pause after each.
"""

import os
import socket
import statistics
import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

from bench.load import make_load, run_wrk
from bench.report import Figure
from bench.scenarios import Scenario
from bench.servers import PLANTSTORE, running_service
from bench.stores import Store, fill_store
from bench.wire import WrongResponseError

_FLOODS = ("list", "read", "create")
_CONNECTIONS = 64
_PLANTS = 20_000
_SECONDS = 3
_SETTLE_SECONDS = 0.5
_PAUSE_SECONDS = 0.005
_MAX_RATIO = 5
_READ = 64 * 1024
_PRIORITY = -10


def measure_fairness(folder: Path) -> list[Figure]:
    """Measure beside a flood of each kind."""
    store = fill_store(folder / "fairness.db", _PLANTS)
    token = _make_token(store)
    figures = []
    with running_service(store.database, folder) as service, ThreadPoolExecutor() as threads:
        for number, script in enumerate(_FLOODS):
            load = make_load(
                Scenario(script=script, connections=_CONNECTIONS), service.origin, store
            )
            quiet = statistics.median(_measure_lists(service.origin, token))
            flood = threads.submit(run_wrk, load, (number + 1) * 10**9, _SECONDS + 1)
            time.sleep(_SETTLE_SECONDS)
            flooded = statistics.median(_measure_lists(service.origin, token))
            counts = flood.result()
            rate = counts.requests / counts.seconds
            about = f"times {1e3 * quiet:.2f} ms, p50 when quiet, beside {rate:,.0f} a second"
            figures.append(Figure(f"fair-{script}", about, flooded / quiet, _MAX_RATIO))
    return figures


def _make_token(store: Store) -> str:
    """A token of another user, for another store, which is empty."""
    command = [*PLANTSTORE, "token", "create", "--create", "--database", store.database, "--quiet"]
    command += ["--store", "orchard", "--user", "neighbour"]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()


def _measure_lists(origin: str, token: str) -> list[float]:
    """Seconds for each list."""
    address = urlsplit(origin)
    request = f"GET /plants HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer {token}\r\n\r\n"
    connecting = socket.create_connection((address.hostname, address.port))
    with closing(connecting) as connection, _first_served():
        return list(_time_lists(connection, request.encode()))


@contextmanager
def _first_served() -> Iterator[None]:
    """Have this thread wait for no other, where that is allowed: it is the service that counts."""
    with suppress(PermissionError):
        os.setpriority(os.PRIO_PROCESS, 0, _PRIORITY)
    yield
    with suppress(PermissionError):
        os.setpriority(os.PRIO_PROCESS, 0, 0)


def _time_lists(connection: socket.socket, request: bytes) -> Iterator[float]:
    end = time.perf_counter() + _SECONDS - _SETTLE_SECONDS
    while (began := time.perf_counter()) < end:
        connection.sendall(request)
        response = connection.recv(_READ)  # it is small: it comes in one piece
        yield time.perf_counter() - began
        if not response.startswith(b"HTTP/1.1 200 ") or not response.endswith(b"\r\n\r\n[]"):
            raise WrongResponseError(f"a list is {response!r}")
        time.sleep(_PAUSE_SECONDS)
