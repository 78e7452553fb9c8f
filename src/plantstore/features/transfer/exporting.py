"""A store's plants, as they are at one moment, as the parts of a file."""

from collections.abc import Callable, Iterator, Sequence

import msgspec

from plantstore.core.model import NewPlant
from plantstore.features.transfer.cells import HEADER, write_lines
from plantstore.features.transfer.tables import PLANTS, read_pages
from plantstore.sql.administration.records import require_store
from plantstore.sql.session import Session


def find_format(path: str) -> str:
    """The format that a file's name tells: ``ndjson``, else ``csv``."""
    name = path.removesuffix(".gz")
    return "ndjson" if name.endswith((".ndjson", ".jsonl")) else "csv"


def export_plants(session: Session, store: str, form: str, tag: str | None) -> Iterator[bytes]:
    """The file of a store's plants, or of those with a tag.

    :raises SetupError: there is no such store.
    """
    header, write = FORMATS[form]
    with session.snapshot():
        store_id = require_store(session, store).store_id
        yield header
        for page in read_pages(session, PLANTS, (store_id, store_id)):
            plants = [NewPlant(*row) for _, *row in page]
            yield write([plant for plant in plants if tag in (None, plant.tag)])


FORMATS: dict[str, tuple[bytes, Callable[[Sequence[NewPlant]], bytes]]] = {
    "csv": (HEADER.encode(), lambda plants: write_lines(plants).encode()),
    "ndjson": (b"", msgspec.json.Encoder().encode_lines),
}
