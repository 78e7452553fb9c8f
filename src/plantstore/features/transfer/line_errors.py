"""The lines of a file that cannot be imported: the first ones on stderr, all of them in a file."""

from typing import IO

import click
import msgspec
from msgspec import Struct

from plantstore.core.errors import PlantStoreError
from plantstore.http.errors import describe_error

_MAX_SHOWN = 20


class LineError(Struct, frozen=True):
    """The number of a line, and the number and the reason that the interface would give."""

    line: int
    error: int
    reason: str


class LineErrors:
    """Counts the errors of lines, and writes them to a file, if there is one, as NDJSON."""

    def __init__(self, file: IO[bytes] | None) -> None:
        self._file = file
        self._first: list[LineError] = []
        self.count = 0

    def add(self, line: int, error: PlantStoreError) -> None:
        """Note an error."""
        found = describe_error(error)
        # Of a request, the message speaks of the body; the reason does not.
        noted = LineError(line, found.error, str(error.details.get("reason", found.message)))
        self.count += 1
        if len(self._first) < _MAX_SHOWN:
            self._first.append(noted)
        if self._file is not None:
            self._file.write(msgspec.json.encode(noted) + b"\n")

    def show(self) -> None:
        """Show the first ones."""
        for noted in self._first:
            click.echo(f"line {noted.line}: {noted.reason} ({noted.error})", err=True)
        if self.count > _MAX_SHOWN:
            hint = "" if self._file else "; --errors FILE takes them all"
            click.echo(f"and {self.count - _MAX_SHOWN} more{hint}", err=True)
