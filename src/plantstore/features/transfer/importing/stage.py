"""Reads a file's plants to a place on disk, where they are in the order of their ids.

Lines that cannot be imported are reported: the first ones on stderr, all of them in a file.
"""

from collections.abc import Iterator
from typing import IO

import click
import msgspec
from msgspec import Struct

from plantstore.core.errors import IdTakenError, PlantStoreError
from plantstore.features.transfer.importing.staging import Staging
from plantstore.features.transfer.importing.writing import StagedPlant
from plantstore.features.transfer.lines import read_plants
from plantstore.features.transfer.progress import show_progress
from plantstore.features.transfer.source import Source
from plantstore.http.errors import describe_error

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


def read_good_lines(source: Source, errors: LineErrors, *, with_ids: bool) -> Iterator[StagedPlant]:
    """The plants of a file with their lines; the errors of other lines are noted."""
    with show_progress("reading", source.size, "bytes") as advance:
        for number, (line, found) in enumerate(read_plants(source, with_ids=with_ids), 1):
            if number % _LINES_AT_ONCE == 0:
                advance(source.position)
            if isinstance(found, PlantStoreError):
                errors.add(line, found)
            else:
                yield line, found


class Repeated(Struct):
    """How many lines have the id of an earlier one: of an identical plant, or of another."""

    identical: int = 0
    conflicting: int = 0


def stage(source: Source, staging: Staging, errors: LineErrors, *, skips: bool) -> Repeated:
    """Stage the plants. A line with another plant's id is refused, unless the import ``skips``."""
    repeated = Repeated()
    for line, plant in read_good_lines(source, errors, with_ids=True):
        earlier = staging.add(plant, line)
        if earlier is None:
            continue
        first_line, first = earlier
        if plant == first:
            repeated.identical += 1
            continue
        repeated.conflicting += 1
        if not skips:
            reason = f"id {plant.id} is already in line {first_line}"
            errors.add(line, IdTakenError(plant_id=plant.id, reason=reason))
    return repeated
