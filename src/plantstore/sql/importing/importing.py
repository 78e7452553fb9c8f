"""The import of staged plants: what it would do, and the writing of it, a portion a transaction.

Invariant: the journal says which plants were handled, as of the same commit; so an import that was
killed goes on where it stopped.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import chain, pairwise
from typing import Protocol

from msgspec import Struct
from msgspec.structs import astuple, replace

from plantstore.errors import PlantStoreError, SetupError
from plantstore.sql.importing.portion import Portion, StagedRow, Tally, sort_portion
from plantstore.sql.importing.store import PORTION_ROWS, ImportStore, Journal
from plantstore.sql.importing.undo import undo


class Staged(Protocol):
    """Plants, by id."""

    def read(self, after: int | None, size: int) -> Iterator[Sequence[StagedRow]]:
        """Those after an id, or all, in portions of this size."""


class Options(Struct, frozen=True):
    """What to do with a file of this ``digest``.

    ``assigns``: the store gives the ids. ``skips``: plants whose ids the store has are left out.
    ``keeps_good``: refused plants do not prevent the others.
    """

    digest: str
    assigns: bool = False
    skips: bool = False
    keeps_good: bool = False


class RefusedError(Exception):
    """A plant was refused, so that none may be imported."""


class Import:
    """An import of ``staged`` plants into a store; ``refuse`` gets the refused ones.

    Its steps yield, repeatedly, how many more plants they have processed; ``tally`` is of the last
    step. ``resumed`` is how many an interrupted import of the same file has written.

    :raises SetupError: another import into the store is in progress, or was interrupted.
    """

    def __init__(
        self,
        store: ImportStore,
        staged: Staged,
        options: Options,
        refuse: Callable[[int, PlantStoreError], None],
    ) -> None:
        self._store = store
        self._staged = staged
        self._options = options
        self._refuse = refuse
        self._journal = store.find_journal()
        if self._journal is not None:
            _require_same(self._journal, options.digest, store.name)
        self._is_overtaken = False
        self.resumed = self._journal.written if self._journal else 0
        self.tally = Tally()

    def plan(self) -> Iterator[int]:
        """Find out what ``write`` would do now."""
        self.tally = Tally()
        with self._store.session.snapshot():
            self._store.read()
            room = self._store.room
            for rows in self._read():
                portion = self._sort(rows, None if room is None else room - self.tally.imported)
                self._note(portion)
                yield len(rows)

    def write(self) -> Iterator[int]:
        """Write them.

        :raises RefusedError: one is refused, though the plan had none; others may be written.
        """
        self.tally = Tally()
        for rows, following in pairwise(chain(self._read(), [None])):
            if rows is not None:
                self._note(self._write(rows, is_last=following is None))
                yield len(rows)

    def undo(self) -> Iterator[int]:
        """Delete again what was written; nothing, where another process goes on with it."""
        if not self._is_overtaken:
            yield from undo(self._store, self._options.digest)

    def _read(self) -> Iterator[Sequence[StagedRow]]:
        return self._staged.read(self._journal.reached if self._journal else None, PORTION_ROWS)

    def _write(self, rows: Sequence[StagedRow], *, is_last: bool) -> Portion:
        with self._store.session.transaction():
            self._store.lock()
            self._require_own(self._store.find_journal())
            portion = self._sort(rows, self._store.room)
            if portion.refused and not self._options.keeps_good:
                self._note(portion)
                raise RefusedError
            journal = None if is_last else self._advance(rows[-1][0], len(portion.new))
            self._store.create(portion.new)
            if journal != self._journal:
                self._store.write_journal(journal)
        self._journal = journal
        return portion

    def _require_own(self, journal: Journal | None) -> None:
        self._is_overtaken = journal != self._journal
        if self._is_overtaken:
            raise SetupError(
                f"another import into {self._store.name}, or an undo, has begun meanwhile: look at "
                "what it does, and repeat this one if plants are missing"
            )

    def _sort(self, rows: Sequence[StagedRow], room: int | None) -> Portion:
        if self._options.assigns:
            ids = self._store.next_ids(len(rows))
            rows = [(number, *row[1:]) for number, row in zip(ids, rows, strict=True)]
            return sort_portion(rows, {}, room, skips=False)
        stored = self._store.find_plants(row[0] for row in rows)
        return sort_portion(rows, stored, room, skips=self._options.skips)

    def _note(self, portion: Portion) -> None:
        for line, error in portion.refused:
            self._refuse(line, error)
        sums = zip(astuple(self.tally), astuple(portion.tally), strict=True)
        self.tally = Tally(*map(sum, sums))

    def _advance(self, reached: int, written: int) -> Journal:
        begun = self._journal or Journal(self._options.digest, None, 0, self._store.revision)
        return replace(begun, reached=reached, written=begun.written + written)


def _require_same(journal: Journal, digest: str, store: str) -> None:
    if journal.reached is None:
        raise SetupError(
            f"an import into {store} was interrupted while it was undone: finish that with "
            f"`plantstore import --store {store} --undo`"
        )
    if journal.digest != digest:
        raise SetupError(
            f"another import into {store} is in progress, or was interrupted after "
            f"{journal.written} plants: repeat it, with the same file, or remove what it has "
            f"written with `plantstore import --store {store} --undo`"
        )
