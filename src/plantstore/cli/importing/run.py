"""An import from its file to its summary.

Invariant: unless the good lines are to be kept, a failure leaves nothing of the file in the store.
"""

from contextlib import closing

import click
from msgspec import Struct
from msgspec.structs import replace

from plantstore.bootstrap import open_staging
from plantstore.cli.importing.progress import run_steps
from plantstore.cli.importing.stage import LineErrors, stage
from plantstore.sql.importing.importing import Import, Options, RefusedError
from plantstore.sql.importing.store import ImportStore
from plantstore.sql.importing.undo import undo
from plantstore.transfer.source import open_source


class Summary(Struct, frozen=True):
    """What an import did, or, in a dry run, would do.

    ``identical`` and ``conflicting`` plants have ids that the store, or an earlier line, has.
    ``refused`` are the lines with an error. ``resumed`` are the plants that were written before,
    by the same import, until it was interrupted.
    """

    store: str
    dry_run: bool
    imported: int
    resumed: int
    identical: int
    conflicting: int
    refused: int


def run_import(
    store: ImportStore, file: str, options: Options, errors: LineErrors, *, is_dry_run: bool
) -> Summary:
    """Import a file; the options' digest is that of its lines."""
    with closing(open_staging()) as staging:
        with open_source(file) as source:
            repeated = stage(source, staging, errors, options)
        digest = source.digest + (" with new ids" if options.assigns else "")
        importing = Import(store, staging, replace(options, digest=digest), errors.add)
        total = staging.count - importing.resumed
        _import(importing, options, errors, total, is_dry_run=is_dry_run)
    errors.show()
    tally = importing.tally
    return Summary(
        store=store.name,
        dry_run=is_dry_run,
        imported=tally.imported,
        resumed=importing.resumed,
        identical=tally.identical + repeated.identical,
        conflicting=tally.conflicting + repeated.conflicting,
        refused=errors.count,
    )


def run_undo(store: ImportStore) -> None:
    """Undo the unfinished import, if there is one."""
    undone = run_steps("undoing", undo(store))
    click.echo(f"deleted {undone} plants of an unfinished import into {store.name}", err=True)


def describe(summary: Summary) -> str:
    """The summary as a sentence."""
    verb = "would import" if summary.dry_run else "imported"
    counts = {
        "written before": summary.resumed,
        "already there": summary.identical,
        "with the id of another plant": summary.conflicting,
        "lines with an error": summary.refused,
    }
    rest = "".join(f"; {count} {words}" for words, count in counts.items() if count)
    return f"{verb} {summary.imported} plants into {summary.store}{rest}"


def _import(
    importing: Import, options: Options, errors: LineErrors, total: int, *, is_dry_run: bool
) -> None:
    if importing.resumed:
        click.echo(f"resuming: {importing.resumed} plants were written before", err=True)
    if is_dry_run or not options.keeps_good:
        run_steps("checking", importing.plan(), total)
    if errors.count and not options.keeps_good:
        importing.tally.imported = 0
    elif not is_dry_run:
        _write(importing, options, total)


def _write(importing: Import, options: Options, total: int) -> None:
    try:
        run_steps("importing", importing.write(), total)
    except BaseException as error:
        if not options.keeps_good:
            _undo(importing)
        if not isinstance(error, RefusedError):
            raise
        importing.tally.imported = 0


def _undo(importing: Import) -> None:
    try:
        undone = run_steps("undoing", importing.undo())
    except BaseException:
        click.echo("not all of its plants are deleted again: finish that with --undo", err=True)
        raise
    if undone:
        click.echo(f"nothing was imported: {undone} plants are deleted again", err=True)
