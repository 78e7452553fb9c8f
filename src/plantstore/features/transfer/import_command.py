"""``plantstore import``."""

from collections.abc import Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import click

from plantstore.cli.options import output_options
from plantstore.cli.output import Output
from plantstore.cli.workspace import end_cleanly
from plantstore.core.model import PLANT_FIELDS
from plantstore.features.transfer.ids import assigned_ids
from plantstore.features.transfer.importing import Import, Summary
from plantstore.features.transfer.line_errors import LineErrors
from plantstore.features.transfer.output import open_output
from plantstore.features.transfer.progress import run_steps
from plantstore.features.transfer.source import open_source
from plantstore.features.transfer.stores import Store, with_store


def _read_columns(
    _context: click.Context, _option: click.Parameter, text: str | None
) -> Mapping[str, str]:
    """Parse --columns: the fields by column names."""
    columns = {}
    for part in text.split(",") if text else ():
        heading, _, field = part.rpartition("=")
        if not heading or field.strip() not in PLANT_FIELDS:
            raise click.BadParameter(
                f"{part!r}: write HEADING=FIELD, with {' or '.join(PLANT_FIELDS)}"
            )
        columns[heading.strip().lower()] = field.strip()
    return columns


@click.command("import")
@click.argument("file")
@click.option(
    "--assign-ids",
    is_flag=True,
    help="Give the plants new ids, after the store's highest; a file beside FILE keeps them.",
)
@click.option("--dry-run", is_flag=True, help="Only show what would change.")
@click.option("--update", is_flag=True, help="Change plants that have another name or tag.")
@click.option(
    "--columns",
    callback=_read_columns,
    metavar="HEADING=FIELD,...",
    help="Which columns are the fields, such as 'Botanischer Name=name,Beet=tag'.",
)
@click.option(
    "--encoding",
    metavar="NAME",
    help="Such as windows-1252; by default UTF-8, or UTF-16 with a byte-order mark.",
)
@click.option("--allow-empty", is_flag=True, help="Accept an empty file.")
@click.option(
    "--errors",
    "error_file",
    metavar="FILE",
    help="Import the other lines, and write those with errors to FILE as CSV, with the reasons.",
)
@with_store
@output_options
def import_plants(
    file: str,
    store: Store,
    error_file: str | None,
    output: Output,
    *,
    assign_ids: bool,
    dry_run: bool,
    update: bool,
    **form: Any,  # noqa: ANN401 - what to know of the file
) -> None:
    """Import the plants of FILE, CSV or NDJSON, also compressed; - is stdin.

    If a line has an error, nothing is imported. A CSV file's first line names the plants' fields; a
    line of an NDJSON file is a plant as in the interface. It works while the service runs.
    Identical plants that are already there are skipped: after an interruption, the same command
    imports the rest.

    \b
    Examples:
      plantstore import plants.csv --store nursery --dry-run
      plantstore export --store nursery - | plantstore import - --store meadow
    """
    if error_file not in (None, "-") and Path(error_file).resolve() == Path(file).resolve():
        raise click.UsageError(f"--errors would replace {file}: name another file")
    end_cleanly()
    with (
        open_output(error_file) if error_file else nullcontext() as errors_output,
        open_source(file, new_ids=assign_ids, **form) as source,
    ):
        importing = Import(store, LineErrors(errors_output, source), output, updates=update)
        with (
            assigned_ids(importing, source, dry_run=dry_run) if assign_ids else nullcontext(source)
        ) as numbered:
            importing.read(numbered)
        _check_and_write(importing, dry_run=dry_run)
    summary = importing.summary
    output.report(summary, _describe(summary))
    if summary.refused:
        raise click.exceptions.Exit(1)


def _check_and_write(importing: Import, *, dry_run: bool) -> None:
    summary, errors, output = importing.summary, importing.errors, importing.output
    run_steps(output, "checking", importing.check(), importing.staged.count)
    if errors.are_final:
        summary.imported = summary.changed = 0
    elif not dry_run:
        is_done = False
        try:
            run_steps(output, "importing", importing.write(), importing.planned.count)
            is_done = not errors.are_final
        finally:
            written = summary.imported + summary.changed
            if not is_done:
                sentence = f"stopped: plants written: {written}; the same command writes the rest"
                click.echo(sentence, err=True)
            if written:
                importing.store.log("import", plants=written)
    summary.dry_run = dry_run
    summary.refused = errors.count
    errors.show()


def _describe(summary: Summary) -> str:
    if summary.identical and not summary.imported + summary.changed + summary.refused:
        return f"nothing to import; already there: {summary.identical}"
    counts = {
        "changed": summary.changed,
        "already there": summary.identical,
        "repeated in the file": summary.repeated,
        "lines with an error": summary.refused,
    }
    verb = "would import" if summary.dry_run else "imported"
    rest = "".join(f"; {words}: {count}" for words, count in counts.items() if count)
    return f"{verb} plants into {summary.store}: {summary.imported}{rest}"
