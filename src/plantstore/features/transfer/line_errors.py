"""Reports the lines that cannot be imported: the first on stderr, all in a file.

The file is CSV: line number, error, and the original row. With corrected rows, it can be imported,
unless the source is NDJSON.
"""

from bisect import insort
from typing import IO, Any

import click
import msgspec
from msgspec.structs import astuple

from plantstore.core.cells import defuse, write_line
from plantstore.core.errors import PlantStoreError
from plantstore.core.model import NewPlant
from plantstore.features.transfer.source import Source
from plantstore.http.errors import ErrorBody, describe_error

_MAX_SHOWN = 20


class LineErrors:
    """Counts the errors of a source's lines, and writes them to the file, if there is one."""

    def __init__(self, file: IO[bytes] | None, source: Source) -> None:
        self._file = file
        self._source = source
        self._first: list[tuple[int, str]] = []  # by line
        self.count = 0

    @property
    def are_final(self) -> bool:
        """Whether the errors prevent the import of the other lines."""
        return self.count > 0 and self._file is None

    def add(
        self, line: int, error: PlantStoreError | ErrorBody, plant: NewPlant | None = None
    ) -> None:
        """Add an error of a line, or of its plant."""
        cells: Any = None
        if isinstance(error, PlantStoreError):
            # The message is about a request's body; the reason is not.
            described, details = describe_error(error), error.details
            error = ErrorBody(described.error, str(details.get("reason", described.message)))
            cells = details.get("cells")
        self.count += 1
        insort(self._first, (line, f"line {line}: {error.message} ({error.error})"))
        del self._first[_MAX_SHOWN:]
        if self._file is not None:
            header = ("line", "error", "reason", *(self._source.header or ["row"]))
            cells = cells or [defuse(getattr(plant, field, None)) for field in self._source.fields]
            cells = cells or [msgspec.json.encode(plant).decode()]  # the line of NDJSON
            row = (line, *astuple(error), *cells)
            for written in (header, row) if self.count == 1 else (row,):
                self._file.write(write_line(map(str, written)).encode("utf-8", "surrogateescape"))

    def show(self) -> None:
        for _, sentence in self._first:
            click.echo(sentence, err=True)
        if self.count > _MAX_SHOWN:
            click.echo(f"and {self.count - _MAX_SHOWN} more", err=True)
        if self.are_final:
            click.echo("--errors FILE writes these lines to FILE, and imports the others", err=True)
