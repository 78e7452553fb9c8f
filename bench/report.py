"""Shows what was measured: a line for each server of a scenario."""

import math
from collections.abc import Iterator, Mapping

from rich.console import Console
from rich.table import Table

from bench.rounds import SERVICE, Result

_COLUMNS = ("clients", "server", "requests/s", "service by it", "target", "p50 ms", "p99 ms")
_WIDTH = 120


def show(results: Mapping[str, Result]) -> None:
    """Print the medians of all runs, and the range of the ratios."""
    table = Table("scenario", *_COLUMNS, "CPU µs", "MiB", box=None, pad_edge=False)
    for name, result in results.items():
        for server in result.runs:
            table.add_row(name, *_make_cells(result, server))
    Console(width=_WIDTH, highlight=False).print(table)


def _make_cells(result: Result, server: str) -> Iterator[str]:
    ratios, ratio, target = result.ratios(server), result.ratio(server), result.scenario.target
    yield str(result.scenario.connections)
    yield server
    yield f"{result.median(server, 'rate'):,.0f}"
    yield f"{ratio:.2f} ({min(ratios):.2f}-{max(ratios):.2f})"
    if target is None or target.of != server:
        yield ""
    else:
        yield f"{target.bound:g} {'met' if ratio >= target.bound else 'MISSED'}"
    for field, factor in (("p50", 1e3), ("p99", 1e3), ("cpu", 1e6)):
        value = factor * result.median(server, field)
        yield "" if math.isnan(value) else f"{value:.2f}"
    yield f"{result.memory:.0f}" if server == SERVICE else ""
