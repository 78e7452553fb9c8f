"""An import from its file to its summary.

Invariant: unless the good lines are to be kept, nothing is written of a file in which a line, or a
plant that the store has, is found to be in the way. Whatever ends the writing, the same command
writes the rest.
"""

from contextlib import AbstractContextManager, closing, nullcontext

import click
from msgspec import Struct

from plantstore.features.transfer.importing.ids import assigned_ids
from plantstore.features.transfer.importing.stage import LineErrors, stage
from plantstore.features.transfer.importing.staging import Staging
from plantstore.features.transfer.importing.writing import Import, Options, RefusedError
from plantstore.features.transfer.progress import run_steps
from plantstore.features.transfer.source import open_source
from plantstore.sql.session import Session


class Summary(Struct, frozen=True):
    """What an import did, or, in a dry run, would do.

    ``identical`` plants are in the store already, ``repeated`` lines are identical to an earlier
    one, ``conflicting`` plants have the id of another plant there. ``refused`` are the lines with
    an error.
    """

    store: str
    dry_run: bool
    imported: int
    identical: int
    repeated: int
    conflicting: int
    refused: int


def run_import(
    session: Session,
    file: str,
    options: Options,
    errors: LineErrors,
    *,
    assigns: bool,
    is_dry_run: bool,
) -> Summary:
    """Import a file, or only say what that would do; ``assigns`` gives its plants new ids."""
    with closing(Staging()) as staging:
        importing = Import(session, options, staging.read, errors.add)
        with_ids: AbstractContextManager[str] = nullcontext(file)
        if assigns:
            with_ids = assigned_ids(session, file, options, errors, is_dry_run=is_dry_run)
        with with_ids as path, open_source(path) as source:
            repeated = stage(source, staging, errors, skips=options.skips)
        is_planned = is_dry_run or not options.keeps_good
        if is_planned:
            run_steps("checking", importing.plan(), staging.count)
        if errors.count and not options.keeps_good:
            importing.imported = 0
        if not is_dry_run and (importing.imported or not is_planned):
            _write(importing, staging.count)
    errors.show()
    return Summary(
        store=options.store,
        dry_run=is_dry_run,
        imported=importing.imported,
        identical=importing.identical,
        repeated=repeated.identical,
        conflicting=importing.conflicting + repeated.conflicting,
        refused=errors.count,
    )


def _write(importing: Import, total: int) -> None:
    try:
        run_steps("importing", importing.write(), total)
    except BaseException as error:
        click.echo(
            f"stopped: {importing.imported} plants are written; the same command writes the rest",
            err=True,
        )
        if not isinstance(error, RefusedError):
            raise


def describe(summary: Summary) -> str:
    """The summary as a sentence."""
    if summary.identical and not (summary.imported or summary.conflicting or summary.refused):
        return f"all {summary.identical} plants are already there: nothing to import"
    verb = "would import" if summary.dry_run else "imported"
    counts = {
        "already there": summary.identical,
        "repeated in the file": summary.repeated,
        "with the id of another plant": summary.conflicting,
        "lines with an error": summary.refused,
    }
    rest = "".join(f"; {count} {words}" for words, count in counts.items() if count)
    return f"{verb} {summary.imported} plants into {summary.store}{rest}"
