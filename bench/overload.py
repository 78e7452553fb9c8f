"""``python -m bench.overload``: creates of more and more clients, more than there is room for.

Beyond the bounds of the service the rest gets 503 at once; what is served must not fall with it.
"""

import tempfile
import time
from pathlib import Path

import click
from msgspec import Struct
from msgspec.structs import replace
from rich.console import Console
from rich.table import Table

from bench.load import Load, count_wrk, make_load
from bench.scenarios import Scenario
from bench.servers import running_service
from bench.stores import make_store
from bench.wire import fetch

_CONNECTIONS = (64, 256, 512, 1024)
_SETTINGS = {"PLANTSTORE_MAX_WRITES": "512"}
_SECONDS = 3
_OK = 200
_BOUND = 0.8  # of the best rate


class Step(Struct, frozen=True):
    """Of so many clients: creates done and refused a second, and seconds to recover."""

    connections: int
    done: float
    refused: float
    p99: float
    recovery: float


@click.command()
def main() -> None:
    """Load the service with more clients than it has room for, and show what is served."""
    with tempfile.TemporaryDirectory(prefix="plantstore-bench-") as name:
        folder = Path(name)
        store = make_store(f"sqlite:///{folder / 'plants.db'}", 0)
        with running_service(store.database, folder, environ=_SETTINGS) as service:
            load = make_load(Scenario(script="create"), service.origin, store)
            steps = [_measure(load, *step) for step in enumerate(_CONNECTIONS, 1)]
    best = max(step.done for step in steps)
    table = Table(
        "connections", "done/s", "of the best", "refused/s", "p99 ms", "recovered after ms"
    )
    for step in steps:
        share = f"{step.done / best:.2f}{'' if step.done >= _BOUND * best else ' MISSED'}"
        figures = (f"{step.done:,.0f}", share, f"{step.refused:,.0f}")
        times = (f"{1000 * step.p99:.0f}", f"{1000 * step.recovery:.0f}")
        table.add_row(str(step.connections), *figures, *times)
    Console(highlight=False).print(table)


def _measure(load: Load, place: int, connections: int) -> Step:
    scenario = Scenario(script="create", connections=connections)
    counts = count_wrk(replace(load, scenario=scenario), place * 10**8, _SECONDS)
    done = (counts.requests - counts.refused) / counts.seconds
    return Step(
        connections, done, counts.refused / counts.seconds, counts.p99, _recover(load, place)
    )


def _recover(load: Load, place: int) -> float:
    """Seconds until a create succeeds."""
    begun, number = time.monotonic(), place * 10**6
    headers = load.headers | {"Content-Type": "application/json"}
    while True:
        number += 1
        body = b'{"id":%d,"name":"Fern"}' % -number
        if fetch(load.origin, "POST", "/plants", headers, body).status == _OK:
            return time.monotonic() - begun


if __name__ == "__main__":
    main()
