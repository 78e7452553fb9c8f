"""``plantstore import``."""

from contextlib import AbstractContextManager, closing, nullcontext

import click
import msgspec
from msgspec.structs import replace

from plantstore.cli.administration_log import log_change
from plantstore.cli.options import json_option, pass_database
from plantstore.cli.output import Output
from plantstore.cli.workspace import end_cleanly
from plantstore.databases import open_session
from plantstore.features.transfer.ids import assigned_ids
from plantstore.features.transfer.importing import Import, Options, Summary
from plantstore.features.transfer.line_errors import LineErrors
from plantstore.features.transfer.output import open_output
from plantstore.features.transfer.progress import run_steps
from plantstore.features.transfer.source import open_source
from plantstore.features.transfer.staging import Staging
from plantstore.sql.session import Session


@click.command("import")
@click.argument("file")
@click.option("--store", required=True, help="Name of the store.")
@click.option(
    "--assign-ids",
    is_flag=True,
    help="Give the plants new ids, after the store's highest; a file beside FILE keeps them.",
)
@click.option("--dry-run", is_flag=True, help="Only say what would be done.")
@click.option(
    "--on-duplicate",
    type=click.Choice(["fail", "skip"]),
    default="fail",
    show_default=True,
    help="Whether a plant with the id of another one is an error, or left out.",
)
@click.option("--keep-good", is_flag=True, help="Import the other lines where some have errors.")
@click.option("--errors", metavar="FILE", help="Write all errors of lines there, as NDJSON.")
@click.option("--user", help="Who the events say it was; else nobody.")
@pass_database
@json_option
def import_plants(errors: str | None, database: str, output: Output, **options: object) -> None:
    """Import the plants of FILE, CSV or NDJSON, maybe compressed; - is stdin.

    If a line has an error, nothing is imported. A CSV file's first line names the plants' fields; a
    line of an NDJSON file is a plant as in the interface. It works while the service runs.
    Identical plants that are already there are skipped: after an interruption, the same command
    imports the rest.

    \b
    Examples:
      plantstore import plants.csv --store nursery --dry-run
      plantstore export --store nursery - | plantstore import - --store meadow
    """
    end_cleanly()
    error_file = open_output(errors) if errors else nullcontext()
    with closing(open_session(database)) as session, error_file as errors_output:
        summary = _import(session, msgspec.convert(options, Options), LineErrors(errors_output))
    if summary.imported and not summary.dry_run:
        log_change("import", plants=summary.imported, store=summary.store, user=options["user"])
    output.report(summary, [_describe(summary)])
    if summary.refused:
        raise click.exceptions.Exit(1)


def _import(session: Session, options: Options, errors: LineErrors) -> Summary:
    importing = Import(session, options, errors)
    with closing(Staging()) as staging:
        with_ids: AbstractContextManager[str] = nullcontext(options.file)
        if options.assign_ids:
            with_ids = assigned_ids(session, options, errors)
        with with_ids as path, open_source(path) as source:
            importing.stage(source, staging)
        staged = replace(importing.summary)
        is_checked = options.dry_run or not options.keep_good
        if is_checked:
            run_steps("checking", importing.check(staging), staging.count)
            if importing.is_refused:
                importing.summary.imported = 0
        if not options.dry_run and (importing.summary.imported or not is_checked):
            importing.summary = staged
            _write(importing, staging)
    errors.show()
    importing.summary.refused = errors.count
    return importing.summary


def _write(importing: Import, staging: Staging) -> None:
    is_done = False
    try:
        run_steps("importing", importing.write(staging), staging.count)
        is_done = not importing.is_refused
    finally:
        if not is_done:
            click.echo(
                f"stopped: {importing.summary.imported} plants are written; the same command "
                "writes the rest",
                err=True,
            )


def _describe(summary: Summary) -> str:
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
