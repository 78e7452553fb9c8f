"""``python -m bench.start``: the time until the service is ready, and its memory when idle."""

import os
import statistics
import tempfile
import time
from pathlib import Path

import click

from bench.servers import running_service
from bench.stores import fill_store

_STARTS = 7
_SETTLE_SECONDS = 1.0


def main() -> None:
    """Start the service some times on an existing database, with its modules compiled."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        os.environ["PYTHONPYCACHEPREFIX"] = str(folder / "bytecode")
        database = fill_store(folder / "plants.db", 1000).database
        starts = [_start(database, folder) for _ in range(_STARTS)]
    seconds, memory = (statistics.median(values) for values in zip(*starts, strict=True))
    click.echo(f"{1000 * seconds:.0f} ms until ready, {memory:.1f} MiB resident")


def _start(database: str, folder: Path) -> tuple[float, float]:
    """Seconds until it was ready, and MiB of memory."""
    begun = time.perf_counter()
    with running_service(database, folder) as service:
        seconds = time.perf_counter() - begun
        time.sleep(_SETTLE_SECONDS)
        return seconds, service.memory()


if __name__ == "__main__":
    main()
