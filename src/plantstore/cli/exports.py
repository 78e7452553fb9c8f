"""``plantstore export``."""

from contextlib import closing

import click

from plantstore.bootstrap import open_existing_session
from plantstore.cli.options import database_option


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
@database_option
def export(file: str, store: str, form: str | None, tag: str | None, database: str) -> None:
    """Export the plants of a store to FILE, or to stdout, as they are at one moment.

    A file whose name ends in .gz is compressed. It is replaced as a whole, and readable only by
    its owner. `plantstore import` and the page read it.

    \b
    Examples:
      plantstore export plants.csv --store nursery
      plantstore export plants.ndjson.gz --store nursery --tag tropical
    """
    from plantstore.transfer.exporting import export_plants, find_format  # noqa: PLC0415 - other commands do not need it
    from plantstore.transfer.output import open_output  # noqa: PLC0415 - as above

    with closing(open_existing_session(database)) as session, open_output(file) as output:
        for part in export_plants(session, store, form or find_format(file), tag):
            output.write(part)
