"""Reads a file's plants to a place on disk, where they are in the order of their ids.

Lines that cannot be imported are reported: the first ones on stderr, all of them in a file.
"""

from typing import IO

import click
import msgspec
from msgspec import Struct

from plantstore.cli.importing.progress import show_progress
from plantstore.errors import AlreadyStoredError, IdTakenError, PlantStoreError
from plantstore.http.errors import describe_error
from plantstore.model import NewPlant
from plantstore.sql.importing.importing import Options
from plantstore.sql.importing.portion import Tally
from plantstore.sqlite.staging import Staging
from plantstore.transfer.lines import read_plants
from plantstore.transfer.source import Source

_LINES_AT_ONCE = 1000
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


def stage(source: Source, staging: Staging, errors: LineErrors, options: Options) -> Tally:
    """Stage the plants; where the options say ``assigns``, their ids are their numbers.

    Where they say ``skips``, those whose ids an earlier line has are only counted.
    """
    repeated = Tally()
    with show_progress("reading", source.size, "bytes") as advance:
        plants = read_plants(source, with_ids=not options.assigns)
        for number, (line, found) in enumerate(plants, 1):
            if number % _LINES_AT_ONCE == 0:
                advance(source.position)
            if isinstance(found, PlantStoreError):
                errors.add(line, found)
                continue
            plant_id = number if options.assigns else found.id
            earlier = staging.add(plant_id, found.name, found.tag, line)
            if earlier is not None:
                _note_repeated(found, line, earlier, repeated, None if options.skips else errors)
    return repeated


def _note_repeated(
    plant: NewPlant,
    line: int,
    earlier: tuple[int, bool],
    repeated: Tally,
    errors: LineErrors | None,
) -> None:
    first, identical = earlier
    repeated.identical += identical
    repeated.conflicting += not identical
    if errors is not None:
        reason = f"id {plant.id} is already in line {first}"
        error = AlreadyStoredError if identical else IdTakenError
        errors.add(line, error(plant_id=plant.id, reason=reason))
