"""Reads a file's plants to a place on disk, where they are in the order of their ids."""

from plantstore.cli.importing.line_errors import LineErrors
from plantstore.cli.importing.progress import show_progress
from plantstore.errors import AlreadyStoredError, IdTakenError, PlantStoreError
from plantstore.model import NewPlant
from plantstore.sql.importing.portion import Tally
from plantstore.sqlite.staging import Staging
from plantstore.transfer.lines import read_plants
from plantstore.transfer.source import Source

_LINES_AT_ONCE = 1000


def stage(
    source: Source, staging: Staging, errors: LineErrors, *, assigns: bool, skips: bool
) -> Tally:
    """Stage the plants; with ``assigns`` their ids are their numbers.

    With ``skips``, those whose ids an earlier line has are only counted.
    """
    repeated = Tally()
    with show_progress("reading", source.size, "bytes") as advance:
        plants = read_plants(source, with_ids=not assigns)
        for number, (line, found) in enumerate(plants, 1):
            if number % _LINES_AT_ONCE == 0:
                advance(source.position)
            if isinstance(found, PlantStoreError):
                errors.add(line, found)
                continue
            plant_id = number if assigns else found.id
            earlier = staging.add(plant_id, found.name, found.tag, line)
            if earlier is not None:
                _note_repeated(found, line, earlier, repeated, None if skips else errors)
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
