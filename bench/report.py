"""Shows what was measured: a table of all servers, the figures that have targets, and JSON."""

from collections.abc import Iterator, Mapping, Sequence

import msgspec
from msgspec import Struct
from msgspec.structs import asdict
from rich.console import Console
from rich.table import Table

from bench.rounds import SERVICE, Result
from bench.scenarios import NGINX, P99

_COLUMNS = ("connections", "server", "requests/s", "service by it", "p50 ms", "p99 ms", "CPU µs")
_MAX_GROWTH = 1.3
_WIDTH = 120


class Figure(Struct, frozen=True):
    """A number whose target is to be at most ``bound``, or at least."""

    name: str
    about: str
    value: float
    bound: float
    at_least: bool = False

    @property
    def is_met(self) -> bool:
        """Whether the value is within the bound."""
        return self.value >= self.bound if self.at_least else self.value <= self.bound


def find_figures(results: Mapping[str, Result]) -> Iterator[Figure]:
    """What the scenarios' targets are about."""
    for name, result in results.items():
        target = result.scenario.target
        if target is not None and target.of == P99:
            yield Figure(name, "ms p99", 1000 * result.median(SERVICE, "p99"), target.bound)
        elif target is not None:
            ratio = result.ratio(target.of)
            yield Figure(name, f"of {target.of}", ratio, target.bound, at_least=True)
    for name in ("list-100", "read-100"):
        small, large = results.get(f"{name}-1e3"), results.get(f"{name}-1e7")
        if small is not None and large is not None:
            # By their baselines, which takes out what the machine did meanwhile.
            growth = small.ratio(NGINX) / large.ratio(NGINX)
            yield Figure(name, "cost at 10^7 plants by that at 10^3", growth, _MAX_GROWTH)


def show(results: Mapping[str, Result], figures: Sequence[Figure]) -> None:
    """Print all of it to stdout."""
    console = Console(width=_WIDTH, highlight=False)
    table = Table("scenario", *_COLUMNS, "MiB", box=None, pad_edge=False)
    for name, result in results.items():
        for server in result.runs:
            table.add_row(name, *_make_cells(result, server))
    targets = Table("target", "", "wanted", "measured", "", box=None, pad_edge=False)
    for it in figures:
        wanted = f"{'at least' if it.at_least else 'at most'} {it.bound:g}"
        met = "met" if it.is_met else "MISSED"
        targets.add_row(it.name, it.about, wanted, f"{it.value:.3g}", met)
    console.print(table, "", targets)


def to_json(results: Mapping[str, Result], figures: Sequence[Figure]) -> bytes:
    """Every number."""
    targets = [asdict(figure) | {"is_met": figure.is_met} for figure in figures]
    return msgspec.json.format(msgspec.json.encode({"results": results, "targets": targets}))


def _make_cells(result: Result, server: str) -> Iterator[str]:
    ratios = result.ratios(server)
    yield str(result.scenario.connections)
    yield server
    yield f"{result.median(server, 'rate'):,.0f}"
    yield f"{result.ratio(server):.2f} ({min(ratios):.2f}-{max(ratios):.2f})"
    for field, factor in (("p50", 1e3), ("p99", 1e3), ("cpu", 1e6)):
        yield f"{factor * result.median(server, field):.2f}".replace("nan", "")
    yield f"{result.memory:.0f}" if server == SERVICE else ""
