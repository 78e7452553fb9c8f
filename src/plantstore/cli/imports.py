"""``plantstore import``."""

from contextlib import closing
from typing import IO

import click

from plantstore.bootstrap import open_existing_session
from plantstore.cli.administration_log import log_change
from plantstore.cli.options import database_option, json_option
from plantstore.cli.output import print_json
from plantstore.cli.signals import end_cleanly


@click.command("import")
@click.argument("file", required=False)
@click.option("--store", required=True, help="Name of the store.")
@click.option(
    "--assign-ids", is_flag=True, help="Give new ids, after the store's highest, for the file's."
)
@click.option("--dry-run", is_flag=True, help="Only say what would be done.")
@click.option(
    "--on-duplicate",
    type=click.Choice(["fail", "skip"]),
    default="fail",
    show_default=True,
    help="Whether a plant whose id is taken is an error, or left out.",
)
@click.option("--keep-good", is_flag=True, help="Import the other lines where some have errors.")
@click.option("--errors", type=click.File("wb"), help="Write all errors of lines there, as NDJSON.")
@click.option("--user", help="Who the events say it was; else nobody.")
@click.option("--undo", is_flag=True, help="Delete what an interrupted import has written.")
@database_option
@json_option
def import_plants(
    file: str | None,
    store: str,
    on_duplicate: str,
    errors: IO[bytes] | None,
    user: str | None,
    database: str,
    *,
    assign_ids: bool,
    dry_run: bool,
    keep_good: bool,
    undo: bool,
    as_json: bool,
) -> None:
    """Import the plants of FILE, CSV or NDJSON, maybe compressed; - is stdin.

    All of them or, if a line has an error, none. A CSV file's first line names its columns: id,
    name and tag; a line of an NDJSON file is a plant as in the interface. It works while the
    service runs. After a crash the same command goes on where it stopped.

    \b
    Examples:
      plantstore import plants.csv --store nursery --dry-run
      plantstore export --store nursery - | plantstore import - --store meadow
    """
    from plantstore.cli.importing import run  # noqa: PLC0415 - other commands do not need it
    from plantstore.cli.importing.line_errors import LineErrors  # noqa: PLC0415 - as above
    from plantstore.sql.importing.store import ImportStore  # noqa: PLC0415 - as above

    if undo is (file is not None):
        raise click.UsageError("give either a FILE to import, or --undo")
    end_cleanly()
    with closing(open_existing_session(database)) as session:
        target = ImportStore(session, store, user)
        if file is None:
            run.run_undo(target)
            return
        request = run.Request(file, assign_ids, on_duplicate == "skip", keep_good, dry_run)
        summary = run.run_import(target, request, LineErrors(errors))
    if summary.imported and not dry_run:
        log_change("import", plants=summary.imported, store=store, user=user)
    if as_json:
        print_json(summary)
    else:
        click.echo(run.describe(summary), err=True)
    if summary.refused:
        raise click.exceptions.Exit(1)
