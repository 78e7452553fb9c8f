"""``plantstore import`` and ``export``."""

from contextlib import closing, nullcontext

import click

from plantstore.cli.administration_log import log_change
from plantstore.cli.options import json_option, pass_database
from plantstore.cli.output import Output
from plantstore.cli.signals import end_cleanly
from plantstore.databases import open_session


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
def import_plants(
    file: str,
    store: str,
    on_duplicate: str,
    errors: str | None,
    user: str | None,
    database: str,
    output: Output,
    *,
    assign_ids: bool,
    dry_run: bool,
    keep_good: bool,
) -> None:
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
    from plantstore.features.transfer.importing import run  # noqa: PLC0415 - other commands do not need it
    from plantstore.features.transfer.importing.stage import LineErrors  # noqa: PLC0415 - as above
    from plantstore.features.transfer.importing.writing import Options  # noqa: PLC0415 - as above
    from plantstore.features.transfer.output import open_output  # noqa: PLC0415 - as above

    end_cleanly()
    options = Options(store, user, on_duplicate == "skip", keep_good)
    error_file = open_output(errors) if errors else nullcontext()
    with closing(open_session(database)) as session, error_file as errors_output:
        noted = LineErrors(errors_output)
        flags = {"assigns": assign_ids, "is_dry_run": dry_run}
        summary = run.run_import(session, file, options, noted, **flags)
    if summary.imported and not dry_run:
        log_change("import", plants=summary.imported, store=store, user=user)
    output.report(summary, [run.describe(summary)])
    if summary.refused:
        raise click.exceptions.Exit(1)


@click.command()
@click.argument("file", default="-")
@click.option("--store", required=True, help="Name of the store.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["csv", "ndjson"]),
    help="Else by the file's name, else CSV.",
)
@click.option("--tag", help="Only plants with this tag.")
@pass_database
def export(file: str, store: str, form: str | None, tag: str | None, database: str) -> None:
    """Export the plants of a store to FILE, or to stdout, as they are at one moment.

    A file whose name ends in .gz is compressed. It is replaced as a whole, and readable only by
    its owner. `plantstore import` and the page read it.

    \b
    Examples:
      plantstore export plants.csv --store nursery
      plantstore export plants.ndjson.gz --store nursery --tag tropical
    """
    from plantstore.features.transfer.exporting import export_plants, find_format  # noqa: PLC0415 - other commands do not need it
    from plantstore.features.transfer.output import open_output  # noqa: PLC0415 - as above

    with closing(open_session(database)) as session, open_output(file) as output:
        for part in export_plants(session, store, form or find_format(file), tag):
            output.write(part)
