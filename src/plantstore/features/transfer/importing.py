"""Imports a file's plants into a store: stages them, checks them, then writes them.

Invariant: plants that the store already has are skipped, so repeating an import writes the missing
ones. If a line has an error or conflicts with a stored plant, nothing is written, unless such lines
go to a file.
"""

from collections.abc import Iterator
from itertools import tee

from msgspec import Struct

from plantstore.cli.output import Output
from plantstore.cli.staging import Staging
from plantstore.core.errors import AlreadyStoredError, IdTakenError, PlantStoreError, StoreFullError
from plantstore.core.model import NewPlant
from plantstore.features.transfer.line_errors import LineErrors
from plantstore.features.transfer.progress import show_progress
from plantstore.features.transfer.source import Source, read_plants
from plantstore.features.transfer.stores import Store
from plantstore.http.errors import ErrorBody, describe_error
from plantstore.sql.changes import PORTION, Change, batched

_LINES_AT_ONCE = 1000
_ALREADY_STORED = describe_error(AlreadyStoredError(plant_id=0)).error


class Summary(Struct):
    """What an import did or, in a dry run, would do.

    Counts of plants: ``changed`` had another name or tag, ``identical`` were already stored; and of
    lines: ``repeated`` equal an earlier line, ``refused`` have an error.
    """

    store: str
    dry_run: bool
    imported: int = 0
    changed: int = 0
    identical: int = 0
    repeated: int = 0
    refused: int = 0


class Import:
    """An import into a store; the counts are in ``summary``.

    Call ``read``, ``check`` and ``write`` in this order. The last two yield how many more plants of
    ``staged`` and ``planned`` they have processed.
    """

    def __init__(self, store: Store, errors: LineErrors, output: Output, *, updates: bool) -> None:
        self.store, self.errors, self.output = store, errors, output
        self._updates = updates
        self.summary = Summary(store.name, dry_run=True)
        self.staged, self.planned = Staging(), Staging()

    def read_good_lines(self, source: Source) -> Iterator[tuple[int, NewPlant]]:
        """The plants of a file with their lines; errors of other lines go to ``errors``."""
        with show_progress(self.output, "reading", source.size) as advance:
            read = 0  # bytes
            for number, (line, result) in enumerate(read_plants(source), 1):
                if number % _LINES_AT_ONCE == 0:
                    advance(source.position - read)
                    read = source.position
                if isinstance(result, PlantStoreError):
                    self.errors.add(line, result)
                else:
                    yield line, result

    def read(self, source: Source) -> None:
        """Stage the plants. A line that repeats another plant's id is refused."""
        for line, plant in self.read_good_lines(source):
            if (earlier := self.staged.add(Change(None, plant), line)) is None:
                continue
            first_line, first = earlier
            if plant == first.after:
                self.summary.repeated += 1
            else:
                reason = f"id {plant.id} is already in line {first_line}"
                self.errors.add(line, IdTakenError(plant_id=plant.id, reason=reason), plant)

    def check(self) -> Iterator[int]:
        """Plan the changes to the store as it is now."""
        rows, again = tee(self.staged.read())
        room = self.store.find_room()
        stored = self.store.find_each(change.plant.id for _, change in again)
        for number, ((line, change), known) in enumerate(zip(rows, stored, strict=True), 1):
            if number % _LINES_AT_ONCE == 0:
                yield _LINES_AT_ONCE
            if known == change.after:
                self.summary.identical += 1
                continue
            if self._updates and known is not None:
                change = Change(known, change.after)  # noqa: PLW2901 - the same plant's
            if known is not change.before:
                self.errors.add(line, IdTakenError(plant_id=change.plant.id), change.plant)
            elif known is None and room is not None and self.summary.imported >= room:
                self.errors.add(line, StoreFullError(plant_id=change.plant.id), change.plant)
            else:
                self.planned.add(change, line)
                self._count(line, change, None)

    def write(self) -> Iterator[int]:
        """Write the plan in portions; stop if a change is refused."""
        self.summary.imported = self.summary.changed = 0
        for portion in batched(self.planned.read(), PORTION):
            if self.errors.are_final:
                return
            changes = [change for _, change in portion]
            refusals = self.store.write("import", changes, is_atomic=False)
            for (line, change), refusal in zip(portion, refusals, strict=True):
                self._count(line, change, refusal)
            yield len(portion)

    def _count(self, line: int, change: Change, refusal: ErrorBody | None) -> None:
        if refusal is None:
            self.summary.imported += change.before is None
            self.summary.changed += change.before is not None
        elif refusal.error == _ALREADY_STORED:
            self.summary.identical += 1
        else:
            self.errors.add(line, refusal, change.plant)
