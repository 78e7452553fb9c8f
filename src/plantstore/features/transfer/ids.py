"""Assigns ids to the plants of a file: writes the plants with ids to a file beside it.

Invariant: plants get their ids once, before any is imported. Repeating the command finds the file
with the ids, so no plant is imported twice.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from itertools import count
from pathlib import Path

import msgspec
from msgspec.structs import replace

from plantstore.cli.workspace import publish, workspace
from plantstore.core.cells import HEADER, write_lines
from plantstore.core.errors import SetupError
from plantstore.core.model import INT64_MAX
from plantstore.features.transfer.importing import Import
from plantstore.features.transfer.source import Source, open_source


@contextmanager
def assigned_ids(importing: Import, source: Source, *, dry_run: bool) -> Iterator[Source]:
    """The file with the ids, which is kept once the import may begin."""
    given, note = Path(source.name), importing.output.note
    original = (given if given.is_file() else Path("stdin")).absolute()
    if not os.access(original.parent, os.W_OK):
        way = f"copy {given} to" if given.is_file() else "run the command in"
        raise SetupError(f"the ids cannot be written to {original.parent}: {way} another folder")
    with workspace(original.parent, f"{original.name}.with-ids") as folder:
        unfinished = folder / "with-ids.csv"
        key = _write(importing, source, unfinished)
        finished = original.with_name(f"{original.name}.with-ids-{key}.csv")
        if finished.exists():
            note(f"its plants have the ids in {finished}: remove that file for new ids")
        elif not dry_run and not importing.errors.are_final:
            publish(unfinished, finished)
            note(f"its plants get the ids in {finished}")
        with open_source(str(finished if finished.exists() else unfinished)) as opened:
            yield opened


def _write(importing: Import, source: Source, unfinished: Path) -> str:
    """Write the plants with ids above the store's highest; returns a hash of file and store."""
    store = importing.store
    if (highest := store.find_highest_id()) == INT64_MAX:
        raise SetupError(f"{store.name} has the plant {highest}: no higher ids are left")
    ids = count(max(highest or 0, 0) + 1)
    digest = sha256(store.identity.encode())
    with unfinished.open("w", encoding="utf-8", newline="") as file:
        file.write(HEADER)
        for _, plant in importing.read_good_lines(source):
            digest.update(msgspec.json.encode(plant))
            file.write(write_lines([replace(plant, id=next(ids))]))
    return digest.hexdigest()[:8]
