"""A store's plants, as they are at one moment, as the parts of a file."""

from collections.abc import Callable, Iterator, Sequence

import msgspec

from plantstore.database import Row
from plantstore.sql.copying.tables import PLANTS, read_pages
from plantstore.sql.importing.store import find_store
from plantstore.sql.session import Session
from plantstore.transfer.cells import HEADER, write_lines

_encode_lines = msgspec.json.Encoder().encode_lines


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
        store_id, *_ = find_store(session, store)
        yield header
        for page in read_pages(session, PLANTS, (store_id, store_id)):
            plants = [row[1:] for row in page]
            yield write([plant for plant in plants if tag in (None, plant[2])])


def _write_ndjson(plants: Sequence[Row]) -> bytes:
    return _encode_lines(
        {"id": plant_id, "name": name} | ({} if tag is None else {"tag": tag})
        for plant_id, name, tag in plants
    )


FORMATS: dict[str, tuple[bytes, Callable[[Sequence[Row]], bytes]]] = {
    "csv": (HEADER.encode(), lambda plants: write_lines(plants).encode()),
    "ndjson": (b"", _write_ndjson),
}
