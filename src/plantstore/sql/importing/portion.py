"""Which plants of a portion are new in a store, and why the others are not."""

from collections.abc import Mapping, Sequence

from msgspec import Struct

from plantstore.errors import AlreadyStoredError, IdTakenError, PlantStoreError, StoreFullError

Plant = tuple[int, str, str | None]  # id, name and tag
StagedRow = tuple[int, str, str | None, int]  # and the line in the file
Refusal = tuple[int, PlantStoreError]  # the line, and what the interface would answer


class Tally(Struct):
    """How many plants were written, or were there already: identical ones, or others."""

    imported: int = 0
    identical: int = 0
    conflicting: int = 0


class Portion(Struct):
    """Some plants: the ``new`` ones, and those that are refused."""

    new: list[Plant]
    refused: list[Refusal]
    tally: Tally


def sort_portion(
    rows: Sequence[StagedRow],
    stored: Mapping[int, tuple[str, str | None]],
    room: int | None,
    *,
    skips: bool,
) -> Portion:
    """Sort plants by what a store would do with each, which has ``room`` for so many.

    ``stored`` are those whose ids it has; with ``skips`` they are left out instead of refused.
    """
    portion = Portion([], [], Tally())
    for plant_id, name, tag, line in rows:
        if plant_id in stored:
            identical = stored[plant_id] == (name, tag)
            portion.tally.identical += identical
            portion.tally.conflicting += not identical
            if not skips:
                error = AlreadyStoredError if identical else IdTakenError
                portion.refused.append((line, error(plant_id=plant_id)))
        elif room is not None and len(portion.new) >= room:
            portion.refused.append((line, StoreFullError(plant_id=plant_id)))
        else:
            portion.new.append((plant_id, name, tag))
    portion.tally.imported = len(portion.new)
    return portion
