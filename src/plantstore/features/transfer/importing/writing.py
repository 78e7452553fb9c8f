"""The import of a file's plants: what it would do, and the writing of it, a portion a transaction.

Invariant: plants are written with their events and the store's counts, by the rules of every write.
What the store has already is skipped, so the same import again writes what is missing.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import NoReturn

import msgspec
from msgspec import Struct
from msgspec.structs import astuple

from plantstore.core.clock import now
from plantstore.core.errors import IdTakenError, PlantStoreError, SetupError, StoreFullError
from plantstore.core.model import NewPlant
from plantstore.features.transfer.tables import EVENTS, PLANTS
from plantstore.sql.administration.records import require_store, require_user
from plantstore.sql.session import Session

LABEL = "plantstore import"  # of its events, which have no token
PORTION_ROWS = 2000  # of a transaction: others wait for it, some hundredths of a second

_encode = msgspec.json.Encoder().encode

StagedPlant = tuple[int, NewPlant]  # with its line in the file
Portions = Iterator[Sequence[StagedPlant]]
Refuse = Callable[[int, PlantStoreError], None]


class Options(Struct, frozen=True):
    """What to import plants into, and in whose name.

    ``skips``: a plant with the id of another one is left out, not refused. ``keeps_good``: refused
    plants do not prevent the others.
    """

    store: str
    user: str | None = None
    skips: bool = False
    keeps_good: bool = False


class RefusedError(Exception):
    """A plant was refused, which ends the import."""


class Import:
    """An import whose portions ``read`` gives, by size; ``refuse`` gets refused plants.

    Its steps yield, repeatedly, how many more plants they have processed. Of the last step are the
    numbers of plants that were ``imported``, or are stored: ``identical`` ones, or with the id of
    another one, ``conflicting``.

    :raises PlantStoreError: there is no such store, or no such user.
    """

    def __init__(
        self,
        session: Session,
        options: Options,
        read: Callable[[int], Portions],
        refuse: Refuse,
    ) -> None:
        self._session = session
        self._options = options
        self._read = read
        self._refuse = refuse
        self._store_id = require_store(session, options.store).store_id
        self._user_id = 0 if options.user is None else require_user(session, options.user).user_id
        self.imported = self.identical = self.conflicting = 0

    def plan(self) -> Iterator[int]:
        """Find out what ``write`` would do now."""
        with self._session.snapshot():
            store = require_store(self._session, self._options.store)
            for portion in self._read(PORTION_ROWS):
                counts = (store.plants + self.imported, store.max_plants)
                self.imported += len(self._sort(portion, counts, self._refuse))
                yield len(portion)

    def write(self) -> Iterator[int]:
        """Write them; what was written before an error stays.

        :raises RefusedError: one is refused, though the plan had none.
        """
        self.imported = self.identical = self.conflicting = 0
        for portion in self._read(PORTION_ROWS):
            with self._session.transaction():
                new = self._write(portion)
            self.imported += new
            yield len(portion)

    def _write(self, portion: Sequence[StagedPlant]) -> int:
        rows = self._session.query("lock_counts", self._store_id)
        if not rows:
            raise SetupError(f"the store {self._options.store!r} was deleted")
        revision, held, max_plants = rows[0]
        refuse = self._refuse if self._options.keeps_good else self._end
        new = self._sort(portion, (held, max_plants), refuse)
        if new:
            self._create(new, revision)
            counts = (revision + len(new), held + len(new))
            self._session.query("set_counts", self._store_id, *counts)
        return len(new)

    def _end(self, line: int, error: PlantStoreError) -> NoReturn:
        self._refuse(line, error)
        raise RefusedError

    def _sort(
        self, portion: Sequence[StagedPlant], counts: tuple[int, int | None], refuse: Refuse
    ) -> list[NewPlant]:
        """Those that are new to the store, whose plants and quota are the ``counts``."""
        ids = _encode([plant.id for _, plant in portion]).decode()
        rows = self._session.query("find_plants_among", self._store_id, ids)
        stored = {plant.id: plant for plant in (NewPlant(*row) for row in rows)}
        held, max_plants = counts
        new: list[NewPlant] = []
        for line, plant in portion:
            if plant.id not in stored:
                if max_plants is None or held + len(new) < max_plants:
                    new.append(plant)
                else:
                    refuse(line, StoreFullError(plant_id=plant.id))
            elif plant == stored[plant.id]:
                self.identical += 1
            else:
                self.conflicting += 1
                if not self._options.skips:
                    refuse(line, IdTakenError(plant_id=plant.id))
        return new

    def _create(self, plants: Sequence[NewPlant], revision: int) -> None:
        rows = [astuple(plant) for plant in plants]
        self._session.write_rows(PLANTS.write, [(self._store_id, *row) for row in rows])
        at, by = now(), (self._user_id, LABEL, "")
        events = [
            (self._store_id, number, "plant.created", *row, at, *by)
            for number, row in enumerate(rows, revision + 1)
        ]
        self._session.write_rows(EVENTS.write, events)
