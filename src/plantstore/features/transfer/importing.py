"""The import of a file's plants: they are staged, then checked, then written.

Invariant: plants are written with their events and the store's counts, by the rules of every write.
What the store has already is skipped, so the same import again writes what is missing. Unless the
good lines are to be kept, nothing is written of a file in which a line, or a plant that the store
has, is found to be in the way.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Literal

from msgspec import Struct

from plantstore.core.errors import IdTakenError, PlantStoreError, SetupError, StoreFullError
from plantstore.features.transfer.line_errors import LineErrors
from plantstore.features.transfer.lines import read_plants
from plantstore.features.transfer.progress import show_progress
from plantstore.features.transfer.source import Source, open_source
from plantstore.features.transfer.staging import StagedPlant, Staging
from plantstore.sql.administration.records import require_store, require_user
from plantstore.sql.changes import Change, find_plants, lock_counts, write_changes
from plantstore.sql.session import Session

LABEL = "plantstore import"  # of its events, which have no token
_LINES_AT_ONCE = 1000


class Options(Struct, frozen=True, kw_only=True):
    """What to import, where, and in whose name; as the command's options."""

    file: str
    store: str
    user: str | None = None
    assign_ids: bool = False
    dry_run: bool = False
    on_duplicate: Literal["fail", "skip"] = "fail"
    update: bool = False
    keep_good: bool = False
    allow_empty: bool = False
    columns: Mapping[str, str] = {}
    encoding: str | None = None


class Summary(Struct):
    """What an import did, or, in a dry run, would do.

    ``changed`` plants had another name or tag, ``identical`` ones are in the store already,
    ``repeated`` lines are identical to an earlier one, ``conflicting`` plants have the id of
    another plant there. ``refused`` are the lines with an error.
    """

    store: str
    dry_run: bool
    imported: int = 0
    changed: int = 0
    identical: int = 0
    repeated: int = 0
    conflicting: int = 0
    refused: int = 0


@contextmanager
def open_original(options: Options) -> Iterator[Source]:
    """The file that is to be imported, read as the options say."""
    with open_source(options.file) as source:
        source.columns, source.encoding = options.columns, options.encoding
        yield source
        if not (source.count or options.allow_empty):
            raise SetupError(f"{source.name} is empty: give --allow-empty if that is right")


def read_good_lines(source: Source, errors: LineErrors, *, with_ids: bool) -> Iterator[StagedPlant]:
    """The plants of a file with their lines; the errors of other lines are noted."""
    errors.source = errors.source or source
    with show_progress("reading", source.size, "bytes") as advance:
        for number, (line, found) in enumerate(read_plants(source, with_ids=with_ids), 1):
            if number % _LINES_AT_ONCE == 0:
                advance(source.position)
            if isinstance(found, PlantStoreError):
                errors.add(line, found)
            else:
                yield line, found


class Import:
    """An import into a store; what it counts is in its ``summary``.

    ``check`` and ``write`` yield, repeatedly, how many more plants they have processed.

    :raises PlantStoreError: there is no such store, or no such user.
    """

    def __init__(self, session: Session, options: Options, errors: LineErrors) -> None:
        self._session = session
        self._options = options
        self._errors = errors
        self._skips = options.on_duplicate == "skip"
        self._store = require_store(session, options.store)
        self._user_id = 0 if options.user is None else require_user(session, options.user).user_id
        self.summary = Summary(options.store, options.dry_run)

    @property
    def is_refused(self) -> bool:
        """Whether errors keep all of it out."""
        return self._errors.count > 0 and not self._options.keep_good

    def stage(self, source: Source, staging: Staging) -> None:
        """Stage the plants. A line with another plant's id is refused, unless these are skipped."""
        for line, plant in read_good_lines(source, self._errors, with_ids=True):
            if (earlier := staging.add(plant, line)) is None:
                continue
            first_line, first = earlier
            if plant == first:
                self.summary.repeated += 1
                continue
            self.summary.conflicting += 1
            if not self._skips:
                reason = f"id {plant.id} is already in line {first_line}"
                self._errors.add(line, IdTakenError(plant_id=plant.id, reason=reason), plant)

    def check(self, staging: Staging) -> Iterator[int]:
        """Find out what ``write`` would do now."""
        with self._session.snapshot():
            store = require_store(self._session, self._store.name)
            for portion in staging.read():
                held = store.plants + self.summary.imported
                self._count(self._find_changes(portion, held, store.max_plants))
                yield len(portion)

    def write(self, staging: Staging) -> Iterator[int]:
        """Write the plants, a portion a transaction; it ends where one is refused after all."""
        for portion in staging.read():
            with self._session.transaction():
                counts = lock_counts(self._session, self._store)
                changes = self._find_changes(portion, *counts[1:])
                if self.is_refused:
                    return
                if changes:
                    author = (self._user_id, LABEL, "")
                    write_changes(self._session, self._store, counts, changes, author)
            self._count(changes)
            yield len(portion)

    def _count(self, changes: Sequence[Change]) -> None:
        updated = sum(change.kind == "updated" for change in changes)
        self.summary.changed += updated
        self.summary.imported += len(changes) - updated

    def _find_changes(
        self, portion: Sequence[StagedPlant], held: int, max_plants: int | None
    ) -> list[Change]:
        """What to do in the store, which holds so many plants, and may hold so many."""
        ids = (plant.id for _, plant in portion)
        stored = find_plants(self._session, self._store.store_id, ids)
        changes: list[Change] = []
        for line, plant in portion:
            if plant.id not in stored:
                if max_plants is None or held < max_plants:
                    changes.append(Change("created", plant))
                    held += 1
                else:
                    self._errors.add(line, StoreFullError(plant_id=plant.id), plant)
            elif plant == stored[plant.id]:
                self.summary.identical += 1
            elif self._options.update:
                changes.append(Change("updated", plant))
            else:
                self.summary.conflicting += 1
                if not self._skips:
                    self._errors.add(line, IdTakenError(plant_id=plant.id), plant)
        return changes
