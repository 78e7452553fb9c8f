"""Changes many plants by a command: finds, shows, confirms and makes the changes.

Invariant: a plant that others changed after it was shown is left unchanged.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence

from msgspec import Struct

from plantstore.cli.administration_log import note_change
from plantstore.cli.confirmation import confirm
from plantstore.cli.output import Output
from plantstore.cli.staging import Staging
from plantstore.core.errors import SetupError, StoreFullError
from plantstore.core.model import NewPlant, Store
from plantstore.sql.changes import PORTION, Change, Wanted, batched, find_changes, write_changes
from plantstore.sql.session import Session

_SHOWN = 20
_SIGNS = {"created": "+", "updated": "~", "deleted": "-"}


class Shown(Struct, frozen=True):
    """A change for output: the plant after it, or before its deletion.

    ``before`` is the plant before an update.
    """

    kind: str
    plant: NewPlant
    before: NewPlant | None


class Summary(Struct):
    """How many plants changed, by kind of change, and the first of them.

    Plants with the ``skipped`` ids are unchanged.
    """

    store: str
    dry_run: bool
    skipped: list[int]
    added: int = 0
    changed: int = 0
    removed: int = 0
    changes: list[Shown] = []

    @property
    def count(self) -> int:
        return self.added + self.changed + self.removed

    def add(self, change: Change) -> None:
        """Count a change, and keep it for output if it is among the first."""
        if self.count < _SHOWN:
            before = change.before if change.after else None
            self.changes.append(Shown(change.kind, change.plant, before))
        self.added += change.kind == "created"
        self.changed += change.kind == "updated"
        self.removed += change.kind == "deleted"


def change_plants(
    session: Session,
    store: Store,
    find: Callable[[], tuple[Iterable[Wanted], Sequence[int]]],
    output: Output,
    *,
    command: str,
    dry_run: bool,
    yes: bool,
    **noted: object,
) -> None:
    """Make the changes that ``find`` returns, after a confirmation; or only show them.

    ``find`` also returns the ids of plants to leave unchanged. ``noted`` goes to the audit trail.

    :raises SetupError: the changes are not confirmed, or the store has no room.
    """
    staged = Staging()
    with session.snapshot():
        wanted, skipped = find()
        summary = Summary(store.name, dry_run=True, skipped=list(skipped))
        for change in find_changes(session, store.store_id, wanted):
            staged.add(change)
        for change in _order(staged):
            summary.add(change)
    holding = store.plants + summary.added - summary.removed
    if store.max_plants is not None and holding > max(store.plants, store.max_plants):
        raise SetupError(
            f"{store.name} is full: `plantstore store set {store.name} --max-plants {holding}` "
            "gives room"
        )
    if not dry_run and summary.changes:
        if not yes:
            for line in _describe(summary):
                output.note(line)
            confirm(f"Change {store.name}?", "change")
        summary = Summary(store.name, dry_run, summary.skipped)
        try:
            _write(session, store, staged, command, summary)
        finally:
            note_change(session, command, store=store.name, plants=summary.count, **noted)
    summary.dry_run = dry_run
    output.report(summary, *_describe(summary))


def _order(staged: Staging) -> Iterator[Change]:
    """Deletions come first: they make room."""
    for deletes in (True, False):
        yield from (change for _, change in staged.read() if (change.after is None) == deletes)


def _write(session: Session, store: Store, staged: Staging, command: str, summary: Summary) -> None:
    for portion in batched(_order(staged), PORTION):
        refusals = write_changes(session, store, portion, command, is_atomic=False)
        for change, refusal in zip(portion, refusals, strict=True):
            if isinstance(refusal, StoreFullError):
                raise SetupError(
                    f"{store.name} is full, after {summary.count} changes: delete plants or raise "
                    "its quota, then run the same command again"
                )
            if refusal is None:
                summary.add(change)
            else:
                summary.skipped.append(change.plant.id)


def _describe(summary: Summary) -> Iterator[str]:
    counts = f"added: {summary.added}, changed: {summary.changed}, removed: {summary.removed}"
    verb = "would change" if summary.dry_run else "changed"
    what = f"{verb} plants of {summary.store}; {counts}"
    yield what if summary.count else f"nothing to change in {summary.store}"
    for change in summary.changes:
        states = " -> ".join(_name(plant) for plant in (change.before, change.plant) if plant)
        yield f"  {_SIGNS[change.kind]} {change.plant.id} {states}"
    if summary.count > len(summary.changes):
        yield f"  and more: these are the first {_SHOWN}"
    if summary.skipped:
        ids = ",".join(map(str, summary.skipped[:_SHOWN]))
        why = "others changed them later, or their earlier events are trimmed"
        yield f"left alone: {len(summary.skipped)}, because {why}: {ids}"


def _name(plant: NewPlant) -> str:
    return plant.name if plant.tag is None else f"{plant.name} ({plant.tag})"
