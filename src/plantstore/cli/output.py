"""Prints data on stdout, as JSON for programs or as a table for people, and notes on stderr."""

import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import chain, islice
from typing import TYPE_CHECKING

import click
import msgspec

if TYPE_CHECKING:
    from rich.console import Console

Record = Mapping[str, object]

_KIB = 1024
_PART_ROWS = 1000  # of a table: its columns may be wider in a later part


def print_json(value: object) -> None:
    """One value as JSON, indented."""
    click.echo(msgspec.json.format(msgspec.json.encode(value), indent=2))


def print_records(records: Iterable[Record], columns: Sequence[str], *, as_json: bool) -> None:
    """Records, any number of them, as a JSON array, or as a table of these columns."""
    if as_json:
        _print_array(records)
    else:
        _print_table(records, columns)


def print_record(record: Record, *, as_json: bool) -> None:
    """One record as a JSON object, or as a line for each of its fields."""
    if as_json:
        print_json(record)
        return
    width = max(map(len, record))
    for name, value in record.items():
        click.echo(f"{name.ljust(width)}  {_to_text(value)}")


def print_change(sentence: str, record: Record, *, as_json: bool, quiet: bool) -> None:
    """What a command has done: a sentence on stderr, with ``as_json`` also as an object."""
    if as_json:
        print_json(record)
    print_note(sentence, quiet=quiet)


def print_note(sentence: str, *, quiet: bool = False) -> None:
    """A sentence on stderr, unless ``quiet``."""
    if not quiet:
        click.echo(sentence, err=True)


def print_json_line(value: object) -> None:
    """One value as JSON, on one line, at once."""
    click.echo(msgspec.json.encode(value))


def print_row(record: Record, columns: Sequence[str]) -> None:
    """One record as a line, its columns separated by tabs, at once."""
    click.echo("\t".join(_to_text(record[column]) for column in columns))


def report_created(database: str | None) -> None:
    """Say on stderr which database file was created, if any."""
    if database:
        print_note(f"created the database {database}")


def make_console(*, stderr: bool = False) -> "Console":
    """A rich console, without any style if ``NO_COLOR`` is set."""
    from rich.console import Console  # noqa: PLC0415 - slow to import, and seldom needed

    style = None if os.environ.get("NO_COLOR") else "auto"
    return Console(stderr=stderr, highlight=False, color_system=style)  # type: ignore[arg-type]  # mypy takes "auto" for any text


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


def _print_array(records: Iterable[Record]) -> None:
    """As ``print_json`` prints a list, without holding it."""
    separator = "["
    for record in records:
        text = msgspec.json.format(msgspec.json.encode(record), indent=2).decode()
        click.echo(separator + "\n  " + text.replace("\n", "\n  "), nl=False)
        separator = ","
    click.echo("[]" if separator == "[" else "\n]")


def _print_table(records: Iterable[Record], columns: Sequence[str]) -> None:
    """Nothing is truncated: a narrow terminal wraps the lines."""
    from rich.cells import cell_len  # noqa: PLC0415 - not needed for JSON

    texts = ([_to_text(record[column]) for column in columns] for record in records)
    rows = chain([columns], texts)
    widths = [0] * len(columns)
    has_style = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    while part := list(islice(rows, _PART_ROWS)):
        cells = zip(widths, zip(*part, strict=True), strict=True)
        widths = [max(width, *map(cell_len, column)) for width, column in cells]
        lines = list(_align(part, widths))
        if has_style:
            lines[0] = click.style(lines[0], bold=True)
            has_style = False  # the header has it
        click.echo("\n".join(lines))


def _align(rows: Iterable[Sequence[str]], widths: Sequence[int]) -> Iterator[str]:
    from rich.cells import cell_len  # noqa: PLC0415 - not needed for JSON

    for row in rows:
        cells = zip(row, widths, strict=True)
        yield "  ".join(cell + " " * (width - cell_len(cell)) for cell, width in cells).rstrip()


def _to_text(value: object) -> str:
    if value is None or value == []:
        return "-"
    if isinstance(value, list):
        return ",".join(value)
    return str(value).lower() if isinstance(value, bool) else str(value)
