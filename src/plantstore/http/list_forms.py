"""The forms of a list: JSON, and by ``Accept`` NDJSON and CSV.

The database makes JSON, which is sent as it is if it is what was asked for. Any other form, and
what is included beside ids, is made from it here.
"""

from collections.abc import Callable, Collection, Sequence
from functools import lru_cache
from typing import Any

import msgspec
from msgspec import Struct

from plantstore.core.cells import HEADER, write_lines
from plantstore.core.model import NewPlant, entity_tag_of
from plantstore.http.accept import read_weights
from plantstore.http.responses import JSON
from plantstore.server.messages import HeaderLines

Row = dict[str, Any]  # a plant, as JSON has it, with its id

_encoder = msgspec.json.Encoder()
_decode = msgspec.json.Decoder(list[Row]).decode


def _include(row: Row, included: Collection[str]) -> Row:
    """The plant with its contents, and what is included."""
    fields = row if "id" in included else {name: row[name] for name in row if name != "id"}
    if "id_text" in included:
        fields = {"id_text": str(row["id"]), **fields}
    if "etag" in included:  # as its own response has it
        fields = {**fields, "etag": f'"{entity_tag_of(NewPlant(**row))}"'}
    return fields


def _write_json(rows: Sequence[Row], included: Collection[str]) -> bytes:
    return _encoder.encode([_include(row, included) for row in rows])[1:-1]


def _write_ndjson(rows: Sequence[Row], included: Collection[str]) -> bytes:
    return _encoder.encode_lines([_include(row, {"id", *included}) for row in rows])


def _write_csv(rows: Sequence[Row], _included: Collection[str]) -> bytes:
    return write_lines(NewPlant(**row) for row in rows).encode()


class Form(Struct, frozen=True):
    """How a list is written: its ``opening``, what is ``between`` parts of it, its ``closing``.

    ``key`` comes before the query in the keys and the entity tags of its responses: no query begins
    so, and JSON has none.
    """

    content_type: HeaderLines
    write: Callable[[Sequence[Row], Collection[str]], bytes]
    key: bytes
    opening: bytes = b""
    between: bytes = b""
    closing: bytes = b""


AS_JSON = Form(JSON, _write_json, b"", b"[", b",", b"]")
_CSV = b"Content-Type: text/csv; charset=utf-8; header=present\r\n"
_NDJSON = b"Content-Type: application/x-ndjson\r\n"
_OTHERS = {
    b"text/csv": Form(_CSV, _write_csv, b"csv ", HEADER.encode()),
    b"application/x-ndjson": Form(_NDJSON, _write_ndjson, b"ndjson "),
}


@lru_cache(maxsize=100)
def choose_form(accepted: bytes | None) -> Form:
    """The form that ``Accept`` names, if it does not prefer JSON by its name."""
    weights = read_weights(accepted or b"")
    best = max(_OTHERS, key=lambda name: weights.get(name, 0.0))
    is_preferred = weights.get(best, 0.0) > weights.get(b"application/json", 0.0)
    return _OTHERS[best] if is_preferred else AS_JSON


def read_rows(plants: bytes) -> list[Row]:
    """The plants of a page, of which each has its id."""
    return _decode(b"[%s]" % plants)
