"""``plantstore import``."""

import codecs
from collections.abc import Mapping
from contextlib import closing, nullcontext

import click
import msgspec
from msgspec.structs import replace

from plantstore.cli.administration_log import log_change
from plantstore.cli.options import json_option, pass_database
from plantstore.cli.output import Output
from plantstore.cli.workspace import end_cleanly
from plantstore.core.model import PLANT_FIELDS
from plantstore.databases import open_session
from plantstore.features.transfer.ids import assigned_ids
from plantstore.features.transfer.importing import Import, Options, Summary, open_original
from plantstore.features.transfer.line_errors import LineErrors
from plantstore.features.transfer.output import open_output
from plantstore.features.transfer.progress import run_steps
from plantstore.features.transfer.source import open_source
from plantstore.features.transfer.staging import Staging
from plantstore.sql.session import Session


def _read_columns(
    _context: click.Context, _option: click.Parameter, text: str | None
) -> Mapping[str, str]:
    """The fields by the columns' names."""
    columns = {}
    for part in text.split(",") if text else ():
        heading, _, field = part.rpartition("=")
        if not heading or field.strip() not in PLANT_FIELDS:
            raise click.BadParameter(
                f"{part!r}: write HEADING=FIELD, with {' or '.join(PLANT_FIELDS)}"
            )
        columns[heading.strip().lower()] = field.strip()
    return columns


def _check_encoding(
    _context: click.Context, _option: click.Parameter, text: str | None
) -> str | None:
    try:
        return text and codecs.lookup(text).name
    except LookupError:
        raise click.BadParameter(f"{text!r} is not an encoding, such as windows-1252") from None


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
@click.option("--update", is_flag=True, help="Change plants that have another name or tag.")
@click.option(
    "--columns",
    callback=_read_columns,
    metavar="HEADING=FIELD,...",
    help="Which columns are the fields, such as 'Botanischer Name=name,Beet=tag'.",
)
@click.option(
    "--encoding",
    callback=_check_encoding,
    metavar="NAME",
    help="Such as windows-1252; else UTF-8, or UTF-16 if it begins so.",
)
@click.option("--allow-empty", is_flag=True, help="Take a file without any line.")
@click.option("--keep-good", is_flag=True, help="Import the other lines where some have errors.")
@click.option(
    "--errors",
    metavar="FILE",
    help="Write the lines with errors there as CSV, with the reasons, to be mended and imported.",
)
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
    written = summary.imported + summary.changed
    if written and not summary.dry_run:
        log_change("import", plants=written, store=summary.store, user=options["user"])
    output.report(summary, [_describe(summary)])
    if summary.refused:
        raise click.exceptions.Exit(1)


def _import(session: Session, options: Options, errors: LineErrors) -> Summary:
    importing = Import(session, options, errors)
    with closing(Staging()) as staging:
        if options.assign_ids:
            with assigned_ids(session, options, errors) as path, open_source(path) as source:
                importing.stage(source, staging)
        else:
            with open_original(options) as source:
                importing.stage(source, staging)
        staged = replace(importing.summary)
        is_checked = options.dry_run or not options.keep_good
        if is_checked:
            run_steps("checking", importing.check(staging), staging.count)
            if importing.is_refused:
                importing.summary.imported = importing.summary.changed = 0
        found = importing.summary.imported + importing.summary.changed
        if not options.dry_run and (found or not is_checked):
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
    others = summary.imported + summary.changed + summary.conflicting + summary.refused
    if summary.identical and not others:
        return f"all {summary.identical} plants are already there: nothing to import"
    verb = "would import" if summary.dry_run else "imported"
    counts = {
        "changed": summary.changed,
        "already there": summary.identical,
        "repeated in the file": summary.repeated,
        "with the id of another plant": summary.conflicting,
        "lines with an error": summary.refused,
    }
    rest = "".join(f"; {count} {words}" for words, count in counts.items() if count)
    return f"{verb} {summary.imported} plants into {summary.store}{rest}"
