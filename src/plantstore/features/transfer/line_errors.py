"""The lines of a file that cannot be imported: the first ones on stderr, all of them in a file.

That is a CSV file with the rows as they were, each after its line and what is wrong with it: when
they are mended, it can be imported.
"""

import csv
import io
from collections.abc import Sequence
from typing import IO, Any

import click
import msgspec
from msgspec import Struct

from plantstore.core.errors import PlantStoreError
from plantstore.core.model import PLANT_FIELDS, NewPlant
from plantstore.features.transfer.source import Source
from plantstore.http.errors import describe_error

_MAX_SHOWN = 20


class LineError(Struct, frozen=True):
    """The number of a line, and the number and the reason that the interface would give."""

    line: int
    error: int
    reason: str


class LineErrors:
    """Counts the errors of lines, and writes them to a file, if there is one.

    The ``source`` is where the lines are from.
    """

    def __init__(self, file: IO[bytes] | None) -> None:
        self._file = file
        self._first: list[LineError] = []
        self.count = 0
        self.source: Source | None = None

    def add(self, line: int, error: PlantStoreError, plant: NewPlant | None = None) -> None:
        """Note an error of a line, or of its plant."""
        found = describe_error(error)
        # Of a request, the message speaks of the body; the reason does not.
        noted = LineError(line, found.error, str(error.details.get("reason", found.message)))
        self.count += 1
        if len(self._first) < _MAX_SHOWN:
            self._first.append(noted)
        if self._file is not None:
            header, fields = (self.source.header, self.source.fields) if self.source else ((), ())
            if self.count == 1:
                self._write(self._file, "line", "error", "reason", *(header or ["row"]))
            cells: Any = error.details.get("cells") or _to_cells(plant, fields)
            self._write(self._file, *msgspec.structs.astuple(noted), *cells)

    def _write(self, file: IO[bytes], *cells: object) -> None:
        text = io.StringIO()
        csv.writer(text).writerow(cells)
        file.write(text.getvalue().encode("utf-8", "surrogateescape"))

    def show(self) -> None:
        """Show the first ones."""
        for noted in self._first:
            click.echo(f"line {noted.line}: {noted.reason} ({noted.error})", err=True)
        if self.count > _MAX_SHOWN:
            hint = "" if self._file else "; --errors FILE takes them all"
            click.echo(f"and {self.count - _MAX_SHOWN} more{hint}", err=True)


def _to_cells(plant: NewPlant | None, fields: Sequence[str]) -> Sequence[object]:
    """The cells of a plant in columns of these fields; without them, its line of NDJSON."""
    if not fields:
        return [msgspec.json.encode(plant).decode()]
    return [getattr(plant, field) if field in PLANT_FIELDS else "" for field in fields]
