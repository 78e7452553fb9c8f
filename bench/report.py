"""Shows what was measured: the table, which aims hold, and all of it as JSON."""

from statistics import median

import msgspec
from rich.console import Console
from rich.table import Table

from bench.aims import AIMS, Aim, Measured
from bench.postgres import PostgresResult
from bench.rounds import Result, Spread, median_sample

_COLUMNS = (
    "connections",
    "floor/s",
    "service/s",
    "of the floor",
    "p50 ms",
    "p99 ms",
    "floor CPU µs",
    "CPU µs",
    "of the floor's CPU",
    "MiB",
    "others' CPU",
)
_WIDTH = 160


def show(measured: Measured) -> None:
    """Print all of it to stdout."""
    console = Console(width=_WIDTH, highlight=False)
    if measured.lines:
        console.print(_make_table(measured))
    if measured.start is not None:
        least, most = min(measured.start.seconds), max(measured.start.seconds)
        console.print(
            f"ready after {1000 * measured.start.median:.0f} ms "
            f"({1000 * least:.0f} to {1000 * most:.0f}), idle with {measured.start.idle:.1f} MiB"
        )
    if measured.stream is not None:
        console.print(
            f"10^6 plants to a slow client in {measured.stream.seconds:.1f} s: "
            f"{measured.stream.growth:.1f} MiB more than {measured.stream.before:.1f} MiB"
        )
    if measured.postgres is not None:
        console.print(_make_postgres_table(measured.postgres))
    for aim in AIMS:
        console.print(describe(aim, measured))


def to_json(measured: Measured) -> bytes:
    """Every number, with the ratios and the aims."""
    ratios = {name: [it.ratio, it.cpu_ratio] for name, it in measured.lines.items()}
    aims = [{"aim": describe(aim, measured), "value": aim.find(measured)} for aim in AIMS]
    found = {"measured": measured, "ratios of rate and CPU": ratios, "aims": aims}
    return msgspec.json.format(msgspec.json.encode(found))


def describe(aim: Aim, measured: Measured) -> str:
    """Whether the aim holds, in a line."""
    value = aim.find(measured)
    sign = ">=" if aim.at_least else "<"
    wanted = f"{aim.text} {sign} {aim.bound:g}{aim.unit}"
    if value is None:
        return f"not measured  {wanted}"
    return f"{'holds' if aim.is_held(value) else 'MISSED':12}  {wanted}: {value:.3g}{aim.unit}"


def _make_table(measured: Measured) -> Table:
    table = Table("line", "", box=None, pad_edge=False)
    for column in _COLUMNS:
        table.add_column(column, justify="right")
    for result in measured.lines.values():
        table.add_row(result.line.name, result.line.about, *_make_cells(result))
    return table


def _make_cells(result: Result) -> list[str]:
    floor, service = median_sample(result.floor), median_sample(result.service)
    return [
        str(result.line.connections),
        f"{floor.rate:,.0f}",
        f"{service.rate:,.0f}",
        _show_spread(result.ratio),
        f"{1000 * service.p50:.2f}",
        f"{1000 * service.p99:.2f}",
        f"{1e6 * floor.cpu:.1f}",
        f"{1e6 * service.cpu:.1f}",
        _show_spread(result.cpu_ratio),
        f"{result.resident:.0f}",
        f"{max(sample.others for sample in result.floor + result.service):.0%}",
    ]


def _make_postgres_table(result: PostgresResult) -> Table:
    columns = ("on PostgreSQL", "processes", "service/s", "p50 ms", "p99 ms", "bare statements/s")
    table = Table(*columns, "of the bare", box=None, pad_edge=False)
    for turn in result.turns:
        table.add_row(
            turn.name,
            str(turn.processes),
            f"{median(run.rate for run in turn.service):,.0f}",
            f"{1000 * median(run.p50 for run in turn.service):.2f}",
            f"{1000 * median(run.p99 for run in turn.service):.2f}",
            f"{median(turn.bare):,.0f}",
            _show_spread(turn.ratio),
        )
    return table


def _show_spread(spread: Spread) -> str:
    return f"{spread.median:.2f} ({spread.least:.2f}-{spread.most:.2f})"
