"""``python -m bench.soak``: load for a long time, during which nothing may grow but the events.

The load creates and deletes the same thousand plants, and reads lists and events. The largest value
of the last third must not be above that of the second by over a tenth.
"""

import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, suppress
from pathlib import Path
from statistics import linear_regression

import click

from bench.load import LUA
from bench.servers import ALL_CORES, LOAD_CORES, Server, pin, running_service
from bench.stores import Store, make_store
from tests.postgres.server import PostgresServer

_SAMPLE_SECONDS = 5
_GROWTH = 1.1
_CONNECTIONS = 64

Sample = Mapping[str, float]


@click.command()
@click.option("--minutes", default=30.0, show_default=True)
@click.option("--rate", default=0, help="Requests a second; without it as many as it can.")
@click.option("--postgres", is_flag=True, help="On PostgreSQL instead of SQLite.")
def main(minutes: float, rate: int, *, postgres: bool) -> None:
    """Load the service for so many minutes, and show whether anything has grown."""
    with tempfile.TemporaryDirectory(prefix="plantstore-soak-") as name, ExitStack() as stack:
        folder = Path(name)
        url = f"sqlite:///{folder / 'plants.db'}"
        if postgres:
            server = stack.enter_context(PostgresServer(folder / "postgres", "fsync = on"))
            url = stack.enter_context(server.fresh())
        store = make_store(url, 0)
        cores = ALL_CORES if postgres else ALL_CORES[:1]
        service = stack.enter_context(running_service(url, folder, cores=cores))
        pause = 1000 * _CONNECTIONS // rate if rate else 0
        samples = list(_run(service, store, folder, minutes * 60, pause))
    grown = [_grows(name, [sample[name] for sample in samples]) for name in samples[0]]
    sys.exit(any(grown))


def _run(
    service: Server, store: Store, folder: Path, seconds: float, pause: int
) -> Iterator[Sample]:
    command = ["wrk", "-t1", f"-c{_CONNECTIONS}", f"-d{seconds:.0f}s", "--timeout", "30s"]
    command += ["--script", "churn.lua", "--header", f"Authorization: Bearer {store.token}"]
    command += [service.origin, "--", "0", str(pause)]
    load = subprocess.Popen(pin(command, LOAD_CORES), cwd=LUA)
    try:
        while not _has_ended(load):
            files = {file.name: file.stat().st_size / 2**20 for file in folder.glob("*-wal")}
            descriptors = len(list(Path(f"/proc/{service.pid}/fd").iterdir()))
            yield {"MiB resident": service.memory(), "descriptors": descriptors, **files}
    finally:
        load.terminate()


def _has_ended(load: subprocess.Popen[bytes]) -> bool:
    """Wait for the next sample's time; whether the load ends before it."""
    with suppress(subprocess.TimeoutExpired):
        load.wait(_SAMPLE_SECONDS)
    return load.returncode is not None


def _grows(name: str, values: list[float]) -> bool:
    """Print the largest values by thirds, and the slope; whether the last is above the second."""
    third = len(values) // 3
    slope, _ = linear_regression(range(2 * third), values[-2 * third :])
    hourly = slope * 3600 / _SAMPLE_SECONDS
    first, second, last = (max(values[n * third : (n + 1) * third]) for n in range(3))
    grows = last > second * _GROWTH + 1
    figures = f"{first:8.1f} {second:8.1f} {last:8.1f} {hourly:+8.2f}/h"
    click.echo(f"{name:16} {figures} {'GROWS' if grows else 'flat'}")
    return grows


if __name__ == "__main__":
    main()
