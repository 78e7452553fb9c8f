"""``plantstore export``."""

from collections.abc import Callable, Sequence

import click
import msgspec

from plantstore.core.cells import HEADER, write_lines
from plantstore.core.model import NewPlant
from plantstore.features.transfer.output import open_output
from plantstore.features.transfer.stores import Store, reading_store
from plantstore.sql.changes import PORTION, batched

FORMATS: dict[str, tuple[bytes, Callable[[Sequence[NewPlant]], bytes]]] = {
    "csv": (HEADER.encode(), lambda plants: write_lines(plants).encode()),
    "ndjson": (b"", msgspec.json.Encoder().encode_lines),
}


@click.command()
@click.argument("file", default="-")
@click.option(
    "--format",
    "form",
    type=click.Choice(list(FORMATS)),
    help="By default that of the file's name, or CSV.",
)
@click.option("--json", "form", flag_value="ndjson", help="Same as --format ndjson.")
@click.option("--tag", help="Only plants with this tag.")
@reading_store
def export(store: Store, file: str, form: str | None, tag: str | None) -> None:
    """Export the plants of a store to FILE, or to stdout, as they are at one moment.

    A file whose name ends in .gz is compressed. It is replaced as a whole, unless it is a SQLite
    database, and readable only by its owner. `plantstore import` and the page read it. CSV has no
    empty tags: the plants get no tag when you import it. NDJSON keeps empty tags.

    \b
    Examples:
      plantstore export plants.csv --store nursery
      plantstore export plants.ndjson.gz --store nursery --tag tropical
    """
    name = file.lower().removesuffix(".gz")
    if name.endswith((".xlsx", ".xls", ".ods")):
        raise click.UsageError(
            f"{file} would be a workbook: export to a .csv file, which spreadsheet programs open"
        )
    if form is None and name.endswith(".json"):
        raise click.UsageError(
            f"{file}: name it .ndjson for a plant a line; for an array run `plantstore plant list "
            "--json`"
        )
    by_name = "ndjson" if name.endswith((".ndjson", ".jsonl")) else "csv"
    header, write = FORMATS[form or by_name]
    portions = batched(store.list_plants(tag), PORTION)
    with open_output(file) as output:
        first = next(portions, ())  # if that fails, not even the header is written
        output.write(header + write(first))
        output.writelines(map(write, portions))
