"""``python -m bench``: measure the named scenarios, or all, with wrk."""

import math
import signal
import statistics
import sys
from collections.abc import Iterator, Mapping

import click
from rich.console import Console
from rich.table import Table

from bench.rounds import SERVICE, Result, measure
from bench.scenarios import SCENARIOS
from bench.servers import WrongResponseError

_COLUMNS = ("clients", "server", "requests/s", "service by it", "p50 ms", "p99 ms")


@click.command()
@click.argument("names", nargs=-1, type=click.Choice(list(SCENARIOS)), metavar="[NAMES]")
@click.option("--seconds", default=2, show_default=True, help="Seconds of a run.")
@click.option("--rounds", default=5, show_default=True, help="Runs of every server.")
def main(names: tuple[str, ...], seconds: int, rounds: int) -> None:
    """Measure the service and a baseline, in rounds.

    nginx sends a file, and pgbench the bare statements: they check no token, and record no event.
    """
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    results: dict[str, Result] = {}
    for name in names or SCENARIOS:
        click.echo(f"{name}...", err=True)
        try:
            results[name] = measure(SCENARIOS[name], rounds, seconds)
        except WrongResponseError as error:
            click.echo(f"FAILED, and not measured: {name}: {error}", err=True)
    _show(results)
    sys.exit(len(results) < len(set(names or SCENARIOS)))


def _show(results: Mapping[str, Result]) -> None:
    """Print the medians of all runs, and the range of the ratios."""
    table = Table("scenario", *_COLUMNS, "CPU µs", "MiB", box=None, pad_edge=False)
    for name, result in results.items():
        for server in result.runs:
            table.add_row(name, *_make_cells(name, result, server))
    Console(width=120, highlight=False).print(table)


def _make_cells(name: str, result: Result, server: str) -> Iterator[str]:
    ratios = result.ratios(server)
    yield str(SCENARIOS[name].connections)
    yield server
    yield f"{result.median(server, 'rate'):,.0f}"
    yield f"{statistics.median(ratios):.2f} ({min(ratios):.2f}-{max(ratios):.2f})"
    for field, factor in (("p50", 1e3), ("p99", 1e3), ("cpu", 1e6)):
        value = factor * result.median(server, field)
        yield "" if math.isnan(value) else f"{value:.2f}"
    yield f"{result.memory:.0f}" if server == SERVICE else ""


if __name__ == "__main__":
    main()
