"""``plantstore export``."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing

import click
import msgspec

from plantstore.cli.options import pass_database
from plantstore.core.cells import HEADER, write_lines
from plantstore.core.model import NewPlant
from plantstore.databases import open_session
from plantstore.features.transfer.output import open_output
from plantstore.features.transfer.tables import PLANTS, read_pages
from plantstore.sql.administration.records import require_store
from plantstore.sql.session import Session

FORMATS: dict[str, tuple[bytes, Callable[[Sequence[NewPlant]], bytes]]] = {
    "csv": (HEADER.encode(), lambda plants: write_lines(plants).encode()),
    "ndjson": (b"", msgspec.json.Encoder().encode_lines),
}


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
    with closing(open_session(database)) as session, open_output(file) as output:
        for part in _export(session, store, form or _find_format(file), tag):
            output.write(part)


def _find_format(path: str) -> str:
    """The format that a file's name tells: ``ndjson``, else ``csv``."""
    name = path.removesuffix(".gz")
    return "ndjson" if name.endswith((".ndjson", ".jsonl")) else "csv"


def _export(session: Session, store: str, form: str, tag: str | None) -> Iterator[bytes]:
    """The file of a store's plants, or of those with a tag, as they are at one moment."""
    header, write = FORMATS[form]
    with session.snapshot():
        store_id = require_store(session, store).store_id
        yield header
        for page in read_pages(session, PLANTS, (store_id, store_id)):
            plants = [NewPlant(*row) for _, *row in page]
            yield write([plant for plant in plants if tag in (None, plant.tag)])
