"""Gives ids to the plants of a file: writes them, with their ids, to another file beside it.

Invariant: a file's plants get their ids once, before any of them is imported. The same command
finds the file with the ids again, so it imports no plant twice.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from itertools import count
from pathlib import Path

import click
import msgspec
from msgspec.structs import replace

from plantstore.cli.workspace import publish, workspace
from plantstore.core.cells import HEADER, write_lines
from plantstore.core.errors import SetupError
from plantstore.core.model import INT64_MAX
from plantstore.features.transfer.importing import Options, open_original, read_good_lines
from plantstore.features.transfer.line_errors import LineErrors
from plantstore.sql.administration.records import require_store
from plantstore.sql.session import Session


@contextmanager
def assigned_ids(session: Session, options: Options, errors: LineErrors) -> Iterator[str]:
    """The path of the file with the ids, which stays if the import may begin."""
    file = options.file
    original = Path(file if file != "-" and Path(file).is_file() else "stdin").absolute()
    if not os.access(original.parent, os.W_OK):
        raise SetupError(f"the ids cannot be written to {original.parent}: copy {file} elsewhere")
    with workspace(original.parent, f"{original.name}.with-ids") as folder:
        unfinished = folder / "with-ids.csv"
        unfinished.touch(0o600)
        key = _write(session, options, errors, unfinished)
        finished = original.with_name(f"{original.name}.with-ids-{key}.csv")
        if finished.exists():
            note = f"its plants have the ids in {finished}: remove that file to give new ones"
            click.echo(note, err=True)
        elif not options.dry_run and (options.keep_good or not errors.count):
            publish(unfinished, finished)
            click.echo(f"its plants get the ids in {finished}", err=True)
        yield str(finished if finished.exists() else unfinished)


def _write(session: Session, options: Options, errors: LineErrors, unfinished: Path) -> str:
    """Write the plants with ids above the store's highest; a key of the plants and the store."""
    store = require_store(session, options.store)
    ((highest,),) = session.query("find_highest_id", store.store_id)
    if highest == INT64_MAX:
        raise SetupError(f"{store.name} has the plant {highest}: no higher ids are left")
    ids = count(max(highest or 0, 0) + 1)
    digest = sha256(f"{store.store_id} {store.created_at}".encode())
    with (
        open_original(options) as source,
        unfinished.open("w", encoding="utf-8", newline="") as output,
    ):
        output.write(HEADER)
        for _, plant in read_good_lines(source, errors, with_ids=False):
            digest.update(msgspec.json.encode(plant))
            output.write(write_lines([replace(plant, id=next(ids))]))
    return digest.hexdigest()[:8]
