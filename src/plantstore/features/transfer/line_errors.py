"""The lines of a file that cannot be imported: the first on stderr, all in a file.

The file is CSV: each row as it was, after its line number and its error. When the rows are
corrected, it can be imported.
"""

import csv
import io
from collections.abc import Sequence
from typing import IO, Any

import click
import msgspec
from msgspec.structs import astuple

from plantstore.core.errors import PlantStoreError
from plantstore.core.model import PLANT_FIELDS, NewPlant
from plantstore.features.transfer.source import Source
from plantstore.http.errors import ErrorBody, describe_error

_MAX_SHOWN = 20


class LineErrors:
    """Counts the errors of lines, and writes them to a file, if there is one.

    The ``source`` is where the lines are from.
    """

    def __init__(self, file: IO[bytes] | None) -> None:
        self._file = file
        self._first: list[str] = []
        self.count = 0
        self.source: Source | None = None

    @property
    def are_final(self) -> bool:
        """Whether they prevent the import of the other lines."""
        return self.count > 0 and self._file is None

    def add(
        self, line: int, error: PlantStoreError | ErrorBody, plant: NewPlant | None = None
    ) -> None:
        """Note an error of a line, or of its plant."""
        cells: Any = None
        if isinstance(error, PlantStoreError):
            # An error's message speaks of a request's body; its reason does not.
            found, details = describe_error(error), error.details
            error = ErrorBody(found.error, str(details.get("reason", found.message)))
            cells = details.get("cells")
        self.count += 1
        if len(self._first) < _MAX_SHOWN:
            self._first.append(f"line {line}: {error.message} ({error.error})")
        if self._file is not None:
            header, fields = (self.source.header, self.source.fields) if self.source else ((), ())
            if self.count == 1:
                self._write(self._file, "line", "error", "reason", *(header or ["row"]))
            cells = cells or _to_cells(plant, fields)
            self._write(self._file, line, *astuple(error), *cells)

    def _write(self, file: IO[bytes], *cells: object) -> None:
        text = io.StringIO()
        csv.writer(text).writerow(cells)
        file.write(text.getvalue().encode("utf-8", "surrogateescape"))

    def show(self) -> None:
        """Show the first ones."""
        for sentence in self._first:
            click.echo(sentence, err=True)
        if self.count > _MAX_SHOWN:
            hint = "" if self._file else "; --dry-run --errors FILE takes them all"
            click.echo(f"and {self.count - _MAX_SHOWN} more{hint}", err=True)


def _to_cells(plant: NewPlant | None, fields: Sequence[str]) -> Sequence[object]:
    """The cells of a plant in columns of these fields; without them, its line of NDJSON."""
    if not fields:
        return [msgspec.json.encode(plant).decode()]
    return [getattr(plant, field) if field in PLANT_FIELDS else "" for field in fields]
