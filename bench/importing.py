"""An import of a million plants while the service runs, and what its creates wait meanwhile."""

import json
import os
import statistics
import subprocess
import time
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path

from bench.report import Figure
from bench.servers import PLANTSTORE, running_service
from bench.stores import Store, make_store
from bench.wire import WrongResponseError

PLANTS = 10**6
_TAGS = 1000
_OK = 200


def measure_import(folder: Path) -> list[Figure]:
    """Import a file, and create plants one after another until it is done."""
    file = write_file(folder / "import.csv")
    store = make_store(f"sqlite:///{folder / 'import.db'}", 0)
    command = [*PLANTSTORE, "import", str(file), "--store", "garden"]
    with running_service(store.database, folder) as service:
        begun = time.perf_counter()
        process = subprocess.Popen([*command, "--database", store.database])
        waits, memory = _create_meanwhile(service.origin, store, process)
        seconds = time.perf_counter() - begun
    *_, p99 = statistics.quantiles(waits, n=100)
    return [
        Figure("import", "seconds for 10^6 plants", seconds, 60),
        Figure("import", "plants/s", PLANTS / seconds, PLANTS / 60, at_least=True),
        Figure("import", "MiB resident", memory, 80),
        Figure("import", "ms p50 of creates meanwhile", 1000 * statistics.median(waits), 50),
        Figure("import", "ms p99 of creates meanwhile", 1000 * p99, 200),
    ]


def write_file(path: Path) -> Path:
    """A file of plants of 40 bytes: id, name and tag."""
    with path.open("w", encoding="utf-8") as file:
        file.write("id,name,tag\n")
        # A prime, so that neighbours have different tags.
        file.writelines(
            f"{n},Monstera deliciosa {n:08},tag-{n * 7919 % _TAGS}\n" for n in range(PLANTS)
        )
    return path


def _create_meanwhile(
    origin: str, store: Store, process: "subprocess.Popen[bytes]"
) -> tuple[list[float], float]:
    """Seconds of each create, and the most MiB that the import took."""
    waits: list[float] = []
    ended = 0
    with closing(HTTPConnection(origin.removeprefix("http://"))) as connection:
        while not ended:
            begun = time.perf_counter()
            _create(connection, store, -1 - len(waits))
            waits.append(time.perf_counter() - begun)
            ended, status, usage = os.wait4(process.pid, os.WNOHANG)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise WrongResponseError(f"the import failed with status {process.returncode}")
    return waits, usage.ru_maxrss / 1024


def _create(connection: HTTPConnection, store: Store, plant_id: int) -> None:
    headers = {"Authorization": f"Bearer {store.token}", "Content-Type": "application/json"}
    connection.request("POST", "/plants", json.dumps({"id": plant_id, "name": "Fern"}), headers)
    response = connection.getresponse()
    if response.status != _OK:
        raise WrongResponseError(f"a create gives {response.status}: {response.read()!r}")
    response.read()
