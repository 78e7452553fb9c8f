"""``python -m bench.soak``: a long load, during which only the events may grow.

The load creates and deletes the same thousand plants, and reads lists and events. The largest value
of the last third may exceed that of the second third by at most a tenth.
"""

import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path

import click

from bench.load import Load
from bench.servers import ALL_CORES, Server, running_service
from bench.stores import Store, fresh_database, make_store

_SAMPLE_SECONDS = 5
_GROWTH = 1.1

Sample = Mapping[str, float]


@click.command()
@click.option("--minutes", default=30.0, show_default=True)
@click.option("--postgres", is_flag=True, help="On PostgreSQL instead of SQLite.")
def main(minutes: float, *, postgres: bool) -> None:
    """Load the service for some minutes, and show which values have grown."""
    with tempfile.TemporaryDirectory(prefix="plantstore-soak-") as name, ExitStack() as stack:
        folder = Path(name)
        url = stack.enter_context(fresh_database(folder, postgres=postgres))
        store = make_store(url, 0)
        cores = ALL_CORES if postgres else ALL_CORES[:1]
        service = stack.enter_context(running_service(url, folder, cores=cores))
        samples = list(_run(service, store, folder, minutes * 60))
    grown = [_grows(name, [sample[name] for sample in samples]) for name in samples[0]]
    sys.exit(any(grown))


def _run(service: Server, store: Store, folder: Path, seconds: float) -> Iterator[Sample]:
    headers = {"Authorization": f"Bearer {store.token}"}
    load = Load("churn", service.origin, headers, 64).start(0, seconds)
    try:
        while load.poll() is None:
            time.sleep(_SAMPLE_SECONDS)
            files = {file.name: file.stat().st_size / 2**20 for file in folder.glob("*-wal")}
            descriptors = len(list(Path(f"/proc/{service.pid}/fd").iterdir()))
            yield {"MiB resident": service.memory(), "descriptors": descriptors, **files}
    finally:
        load.terminate()


def _grows(name: str, values: list[float]) -> bool:
    """Print the largest value of each third; returns whether the last exceeds the second."""
    third = len(values) // 3
    first, second, last = (max(values[n * third : (n + 1) * third]) for n in range(3))
    grows = last > second * _GROWTH + 1
    figures = f"{first:8.1f} {second:8.1f} {last:8.1f}"
    click.echo(f"{name:16} {figures} {'GROWS' if grows else 'flat'}")
    return grows


if __name__ == "__main__":
    main()
