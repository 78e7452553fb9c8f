"""Changes of many plants by a command: shown, confirmed, and made."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

from msgspec import Struct

from plantstore.cli.administration_log import note_change
from plantstore.cli.confirmation import confirm
from plantstore.cli.output import Output
from plantstore.core.model import Store
from plantstore.sql.changes import Change, Wanted, find_changes, make_changes, require_room
from plantstore.sql.session import Session

_SHOWN = 20
_SIGNS = {"created": "+", "updated": "~", "deleted": "-"}


class Summary(Struct):
    """What happened to how many plants, and the first of them.

    The plants with the ``skipped`` ids are left alone.
    """

    store: str
    dry_run: bool
    added: int
    changed: int
    removed: int
    changes: list[Change]
    skipped: Sequence[int]


def change_plants(
    session: Session,
    store: Store,
    read: Callable[[], Iterable[Wanted]],
    output: Output,
    *,
    command: str,
    dry_run: bool,
    yes: bool,
    skipped: Sequence[int] = (),
) -> None:
    """Have plants be as ``read`` gives them, if that is confirmed; or say what would change.

    :raises SetupError: it is not confirmed, or the store has no room.
    """
    with session.snapshot():
        changes = find_changes(session, store.store_id, read())
        found = _summarise(changes, store, dry_run=True, skipped=skipped)
    require_room(store, store.plants, store.plants + found.added - found.removed, store.max_plants)
    if not dry_run and found.changes:
        if not yes:
            for line in _describe(found):
                output.note(line)
            confirm(f"Change {store.name}?", "change")
        changes = make_changes(session, store, read(), (0, f"plantstore {command}", ""))
        found = _summarise(changes, store, dry_run=False, skipped=skipped)
        count = found.added + found.changed + found.removed
        note_change(session, command, store=store.name, plants=count)
    output.report(found, _describe(found))


def _summarise(
    changes: Iterable[Change], store: Store, *, dry_run: bool, skipped: Sequence[int]
) -> Summary:
    counts: Counter[str] = Counter()
    first: list[Change] = []
    for change in changes:
        counts[change.kind] += 1
        if len(first) < _SHOWN:
            first.append(change)
    kinds = (counts["created"], counts["updated"], counts["deleted"])
    return Summary(store.name, dry_run, *kinds, first, skipped)


def _describe(found: Summary) -> Iterator[str]:
    counts = f"added: {found.added}, changed: {found.changed}, removed: {found.removed}"
    yield f"{'would change ' if found.dry_run else ''}plants of {found.store}; {counts}"
    for change in found.changes:
        tag = "" if change.plant.tag is None else f" ({change.plant.tag})"
        yield f"  {_SIGNS[change.kind]} {change.plant.id} {change.plant.name}{tag}"
    if found.added + found.changed + found.removed > len(found.changes):
        yield f"  and more: these are the first {_SHOWN}"
    if found.skipped:
        ids = ",".join(map(str, found.skipped[:_SHOWN]))
        yield (
            f"left alone: {len(found.skipped)} plants, which others changed later, or whose "
            f"earlier events are trimmed: {ids}"
        )
