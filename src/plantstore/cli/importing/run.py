"""An import from its file to its summary.

Invariant: unless the good lines are to be kept, a failure leaves nothing of the file in the store.
"""

from contextlib import closing

import click
from msgspec import Struct

from plantstore.bootstrap import open_staging
from plantstore.cli.importing.progress import run_steps
from plantstore.cli.importing.stage import LineErrors, stage
from plantstore.sql.importing.importing import Import, Options, RefusedError
from plantstore.sql.importing.store import ImportStore
from plantstore.sql.importing.undo import undo
from plantstore.transfer.source import open_source


class Request(Struct, frozen=True):
    """What the command is asked for; see its options."""

    file: str
    assigns: bool
    skips: bool
    keeps_good: bool
    is_dry_run: bool


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


def run_import(store: ImportStore, request: Request, errors: LineErrors) -> Summary:
    """Import a file."""
    with closing(open_staging()) as staging:
        with open_source(request.file) as source:
            repeated = stage(source, staging, errors, assigns=request.assigns, skips=request.skips)
        digest = source.digest + (" with new ids" if request.assigns else "")
        options = Options(digest, request.assigns, request.skips, request.keeps_good)
        importing = Import(store, staging, options, errors.add)
        _import(importing, request, errors, staging.count - importing.resumed)
    errors.show()
    tally = importing.tally
    return Summary(
        store=store.name,
        dry_run=request.is_dry_run,
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


def _import(importing: Import, request: Request, errors: LineErrors, total: int) -> None:
    if importing.resumed:
        click.echo(f"resuming: {importing.resumed} plants were written before", err=True)
    if request.is_dry_run or not request.keeps_good:
        run_steps("checking", importing.plan(), total)
    if errors.count and not request.keeps_good:
        importing.tally.imported = 0
    elif not request.is_dry_run:
        _write(importing, request, total)


def _write(importing: Import, request: Request, total: int) -> None:
    try:
        run_steps("importing", importing.write(), total)
    except BaseException as error:
        if not request.keeps_good:
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
