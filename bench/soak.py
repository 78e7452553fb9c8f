"""``python -m bench.soak``: full load for a long time, during which nothing may grow.

The load creates and deletes the same thousand plants, as fast as it can; events are kept for half a
minute. Memory, descriptors and files are looked at every five seconds: the largest value of the
last third must not be above that of the second by more than a tenth.
"""

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import click
from msgspec import Struct
from rich.console import Console
from rich.table import Table

from bench.servers import ALL_CORES, LOAD_CORES, Server, pin, running_service
from bench.stores import Store, make_store
from tests.postgres.server import PostgresServer

_LUA = Path(__file__).parent / "lua"
_SAMPLE_SECONDS = 5
_GROWTH = 1.1
_SETTINGS = {"PLANTSTORE_EVENTS_KEEP": "0.0003"}  # days


class Sample(Struct, frozen=True):
    """What a service takes: MiB of memory and of files, and descriptors."""

    memory: float
    descriptors: int
    database: float
    wal: float


@click.command()
@click.option("--minutes", default=30.0, show_default=True)
@click.option("--postgres", is_flag=True, help="On PostgreSQL instead of SQLite.")
@click.option("--connections", default=64, show_default=True)
def main(minutes: float, connections: int, *, postgres: bool) -> None:
    """Load the service for so many minutes, and show whether anything has grown."""
    with tempfile.TemporaryDirectory(prefix="plantstore-soak-") as name, ExitStack() as stack:
        folder = Path(name)
        url = f"sqlite:///{folder / 'plants.db'}"
        if postgres:
            server = stack.enter_context(PostgresServer(folder / "postgres", "fsync = on"))
            url = stack.enter_context(server.fresh())
        store = make_store(url, 0)
        cores = ALL_CORES if postgres else ALL_CORES[:1]
        service = stack.enter_context(running_service(url, folder, cores=cores, environ=_SETTINGS))
        samples = list(_run(service, store, folder, minutes * 60, connections))
    sys.exit(0 if _show(samples) else 1)


def _run(
    service: Server, store: Store, folder: Path, seconds: float, connections: int
) -> Iterator[Sample]:
    command = ["wrk", "-t1", f"-c{connections}", f"-d{seconds:.0f}s", "--timeout", "30s"]
    command += ["--script", "churn.lua", "--header", f"Authorization: Bearer {store.token}"]
    command = pin([*command, service.origin, "--", "0"], LOAD_CORES)
    load = subprocess.Popen(command, cwd=_LUA)
    try:
        while load.poll() is None:
            time.sleep(_SAMPLE_SECONDS)
            yield _take_sample(service, folder)
    finally:
        load.terminate()


def _take_sample(service: Server, folder: Path) -> Sample:
    def size(name: str) -> float:
        path = folder / name
        return path.stat().st_size / 2**20 if path.exists() else 0.0

    descriptors = len(list(Path(f"/proc/{service.pid}/fd").iterdir()))
    return Sample(service.memory(), descriptors, size("plants.db"), size("plants.db-wal"))


def _show(samples: list[Sample]) -> bool:
    """Print the largest values by thirds; whether nothing has grown."""
    third = len(samples) // 3
    table = Table("", "first third", "second", "last", "", box=None, pad_edge=False)
    is_flat = True
    for field in Sample.__struct_fields__:
        values = [float(getattr(sample, field)) for sample in samples]
        first, second, last = (
            max(values[place * third : (place + 1) * third]) for place in range(3)
        )
        grows = last > second * _GROWTH + 1
        is_flat = is_flat and not grows
        texts = [f"{value:.1f}" for value in (first, second, last)]
        table.add_row(field, *texts, "GROWS" if grows else "flat")
    Console(highlight=False).print(table)
    return is_flat


if __name__ == "__main__":
    main()
