"""Prints data on stdout: as JSON for programs, as a table for people."""

import os
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click
import msgspec

if TYPE_CHECKING:
    from rich.console import Console

_KIB = 1024
_WIDTH = 1000  # nothing is truncated: a narrow terminal wraps the lines


def print_json(value: object) -> None:
    """One value as JSON, indented."""
    click.echo(msgspec.json.format(msgspec.json.encode(value), indent=2))


def print_records(
    records: Iterable[Mapping[str, object]], columns: Sequence[str], *, as_json: bool
) -> None:
    """Records as a JSON array, or as a table of these columns."""
    if as_json:
        print_json(list(records))
    else:
        _print_table(records, columns)


def print_json_line(value: object) -> None:
    """One value as JSON, on one line, at once."""
    click.echo(msgspec.json.encode(value))


def print_row(record: Mapping[str, object], columns: Sequence[str]) -> None:
    """One record as a line, its columns separated by tabs, at once."""
    click.echo("\t".join(_to_text(record[column]) for column in columns))


def report_created(database: str | None) -> None:
    """Say on stderr which database file was created, if any."""
    if database:
        click.echo(f"created the database {database}", err=True)


def make_console(*, stderr: bool = False, width: int | None = None) -> "Console":
    """A rich console, without any style if ``NO_COLOR`` is set."""
    from rich.console import Console  # noqa: PLC0415 - slow to import, and seldom needed

    style = None if os.environ.get("NO_COLOR") else "auto"
    return Console(stderr=stderr, width=width, highlight=False, color_system=style)  # type: ignore[arg-type]  # mypy takes "auto" for any text


def format_time(milliseconds: int | None) -> str | None:
    """A Unix time in ISO 8601, UTC."""
    if milliseconds is None:
        return None
    moment = datetime.fromtimestamp(milliseconds // 1000, UTC)
    return moment.isoformat().replace("+00:00", "Z")


def format_bytes(count: int) -> str:
    """A number of bytes for people, such as ``1.5 MiB``."""
    size, units = float(count), iter(("bytes", "KiB", "MiB", "GiB"))
    unit = next(units)
    while size >= _KIB and (larger := next(units, None)):
        size, unit = size / _KIB, larger
    return f"{count} bytes" if unit == "bytes" else f"{size:.1f} {unit}"


def _print_table(records: Iterable[Mapping[str, object]], columns: Sequence[str]) -> None:
    from rich.table import Table  # noqa: PLC0415 - slow to import, and seldom needed
    from rich.text import Text  # noqa: PLC0415 - as above

    table = Table(*columns, box=None, pad_edge=False, header_style="bold")
    for record in records:
        table.add_row(*(Text(_to_text(record[column])) for column in columns))
    make_console(width=_WIDTH).print(table)


def _to_text(value: object) -> str:
    if value is None:
        return "-"
    if isinstance(value, list):
        return ",".join(value)
    return str(value).lower() if isinstance(value, bool) else str(value)
