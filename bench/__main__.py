"""``python -m bench``: measure the scenarios that are named, or all, with wrk."""

import math
import signal
import statistics
import sys
import tempfile
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import partial
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from bench.postgres import measure_on_postgres, running_on_postgres
from bench.rounds import SERVICE, Result, Rounds, measure
from bench.scenarios import POSTGRES_SCENARIOS, SCENARIOS
from bench.servers import WrongResponseError

_NAMES = (*SCENARIOS, *POSTGRES_SCENARIOS)
_COLUMNS = ("clients", "server", "requests/s", "service by it", "target", "p50 ms", "p99 ms")


@click.command()
@click.argument("names", nargs=-1, type=click.Choice(_NAMES), metavar="[NAMES]")
@click.option("--seconds", default=2, show_default=True, help="Seconds of a run.")
@click.option("--rounds", default=5, show_default=True, help="Runs of every server.")
def main(names: tuple[str, ...], seconds: int, rounds: int) -> None:
    """Measure the service in rounds with its baselines.

    uvicorn and nginx send prepared responses: they check no token and store nothing. The targets
    are how near to them a service comes that does.
    """
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    results: dict[str, Result] = {}
    with tempfile.TemporaryDirectory(prefix="plantstore-bench-") as folder:
        scenarios = _scenarios(names or _NAMES, Rounds(rounds, seconds), Path(folder))
        for name, measure_scenario in scenarios:
            click.echo(f"{name}...", err=True)
            try:
                results[name] = measure_scenario()
            except WrongResponseError as error:
                click.echo(f"FAILED, and not measured: {name}: {error}", err=True)
    _show(results)
    sys.exit(len(results) < len(set(names or _NAMES)))


def _scenarios(
    names: Collection[str], rounds: Rounds, folder: Path
) -> Iterator[tuple[str, Callable[[], Result]]]:
    """The scenarios of these names, with what measures them."""
    for name, scenario in SCENARIOS.items():
        if name in names:
            database = folder / f"{name if scenario.writes else scenario.plants}.db"
            yield name, partial(measure, scenario, rounds, database)
    on_postgres = [name for name in POSTGRES_SCENARIOS if name in names]
    if on_postgres:
        with running_on_postgres(folder) as (service, store):
            for name in on_postgres:
                scenario = POSTGRES_SCENARIOS[name]
                yield name, partial(measure_on_postgres, scenario, rounds, service, store)


def _show(results: Mapping[str, Result]) -> None:
    """Print the medians of all runs, and the range of the ratios."""
    table = Table("scenario", *_COLUMNS, "CPU µs", "MiB", box=None, pad_edge=False)
    for name, result in results.items():
        for server in result.runs:
            table.add_row(name, *_make_cells(result, server))
    Console(width=120, highlight=False).print(table)


def _make_cells(result: Result, server: str) -> Iterator[str]:
    ratios, (baseline, bound) = result.ratios(server), result.scenario.target
    ratio = statistics.median(ratios)
    yield str(result.scenario.connections)
    yield server
    yield f"{result.median(server, 'rate'):,.0f}"
    yield f"{ratio:.2f} ({min(ratios):.2f}-{max(ratios):.2f})"
    yield f"{bound:g} {'met' if ratio >= bound else 'MISSED'}" if server == baseline else ""
    for field, factor in (("p50", 1e3), ("p99", 1e3), ("cpu", 1e6)):
        value = factor * result.median(server, field)
        yield "" if math.isnan(value) else f"{value:.2f}"
    yield f"{result.memory:.0f}" if server == SERVICE else ""


if __name__ == "__main__":
    main()
