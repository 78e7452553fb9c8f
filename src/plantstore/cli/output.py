"""Prints data on stdout, as JSON for programs or as a table for people, and notes on stderr."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, islice
from unicodedata import category, east_asian_width

import click
import msgspec
from msgspec import Struct

from plantstore.cli.pasted import name_program
from plantstore.core.clock import write_time

Record = Mapping[str, object]

_PART_ROWS = 1000  # of a table per part; later parts may have wider columns
_WIDEST = 60  # column of a table: a longer cell moves only the rest of its own row


class Output(Struct, frozen=True):
    """Prints the results of a command, as ``--json`` and ``--quiet`` say."""

    as_json: bool
    quiet: bool

    def print_records(self, records: Iterable[Record], columns: Sequence[str]) -> None:
        """Print any number of records, as a JSON array or as a table of these columns."""
        if self.as_json:
            _print_array(records)
        else:
            _print_table(records, columns)

    def print_record(self, record: Record) -> None:
        width = max(map(len, record))
        between = "\n".ljust(width + 3)  # each element of a list on a line
        lines = [f"{key.ljust(width)}  {_to_text(value, between)}" for key, value in record.items()]
        self.print(record, "\n".join(lines))

    def print_line(self, record: Record, columns: Sequence[str]) -> None:
        """Print one record as a line at once: as JSON, or its columns separated by tabs."""
        texts = (_to_text(record[column]) for column in columns)
        click.echo(msgspec.json.encode(record) if self.as_json else "\t".join(texts))

    def print(self, value: object, text: str) -> None:
        click.echo(_to_json(value) if self.as_json else text)

    def report(self, value: object, *sentences: str) -> None:
        """Print sentences on stderr and, with ``--json``, the value on stdout."""
        if self.as_json:
            click.echo(_to_json(value))
        for sentence in sentences:
            self.note(sentence)

    def note(self, sentence: str) -> None:
        if not self.quiet:
            click.echo(name_program(sentence), err=True)


def format_time(milliseconds: int | None) -> str | None:
    return None if milliseconds is None else f"{write_time(milliseconds)[:-5]}Z"  # to the second


def _print_array(records: Iterable[Record]) -> None:
    """Print one JSON array without holding all of it."""
    separator = "["
    for record in records:
        text = _to_json(record).decode().replace("\n", "\n  ")
        click.echo(f"{separator}\n  {text}", nl=False)
        separator = ","
    click.echo("[]" if separator == "[" else "\n]")


def _to_json(value: object) -> bytes:
    return msgspec.json.format(msgspec.json.encode(value), indent=2)


def _print_table(records: Iterable[Record], columns: Sequence[str]) -> None:
    """Nothing is truncated: a narrow terminal wraps the lines."""
    texts = ([_to_text(record[column]) for column in columns] for record in records)
    rows = chain([columns], texts)
    widths = [0] * len(columns)
    while part := list(islice(rows, _PART_ROWS)):
        cells = zip(widths, zip(*part, strict=True), strict=True)
        widths = [min(_WIDEST, max(width, *map(_measure, column))) for width, column in cells]
        lines = []
        for row in part:
            pairs = zip(row, widths, strict=True)
            padded = (cell + " " * (width - _measure(cell)) for cell, width in pairs)
            lines.append("  ".join(padded).rstrip())
        click.echo("\n".join(lines))


def _measure(text: str) -> int:
    """How many columns of a terminal a text takes: wide Asian characters take two, accents none."""
    if text.isascii():
        return len(text)
    return sum(
        0 if category(letter) in {"Mn", "Me", "Cf"} else 1 + (east_asian_width(letter) in "WF")
        for letter in text
    )


def _to_text(value: object, separator: str = ",") -> str:
    if value is None or value == []:
        return "-"
    if isinstance(value, list):
        return separator.join(map(str, value))
    return str(value).lower() if isinstance(value, bool) else str(value)
