"""``plantstore export``."""

import click

from plantstore.features.transfer.output import open_output
from plantstore.features.transfer.stores import FORMATS, Store, with_store

_WORKBOOKS = (".xlsx", ".xls", ".ods")


@click.command()
@click.argument("file", default="-")
@click.option(
    "--format",
    "form",
    type=click.Choice(list(FORMATS)),
    help="By default that of the file's name, or CSV.",
)
@click.option("--tag", help="Only plants with this tag.")
@with_store
def export(store: Store, file: str, form: str | None, tag: str | None) -> None:
    """Export the plants of a store to FILE, or to stdout, as they are at one moment.

    A file whose name ends in .gz is compressed. It is replaced as a whole, and readable only by
    its owner. `plantstore import` and the page read it.

    \b
    Examples:
      plantstore export plants.csv --store nursery
      plantstore export plants.ndjson.gz --store nursery --tag tropical
    """
    if file.lower().endswith(_WORKBOOKS):
        raise click.UsageError(
            f"{file} would be a workbook: export to a .csv file, which spreadsheet programs open"
        )
    is_ndjson = file.removesuffix(".gz").endswith((".ndjson", ".jsonl"))
    with open_output(file) as output:
        output.writelines(store.export(form or ("ndjson" if is_ndjson else "csv"), tag))
