"""The forms of a list: JSON or, by ``Accept``, NDJSON or CSV.

The database makes JSON, which is copied into JSON and NDJSON. CSV, and included fields other than
ids, are made here.
"""

from collections.abc import Callable, Collection, Sequence
from functools import lru_cache
from typing import Any

import msgspec
from msgspec import Struct

from plantstore.core.cells import HEADER, write_lines
from plantstore.core.model import NewPlant, entity_tag_of
from plantstore.http.responses import JSON, read_weights
from plantstore.server.messages import HeaderLines

Row = dict[str, Any]  # a plant's JSON object, with the id

_encoder = msgspec.json.Encoder()
_decode = msgspec.json.Decoder(list[Row]).decode
_BETWEEN = b'},{"'  # separates two plants of a page


def _include(row: Row, included: Collection[str]) -> Row:
    """The plant's contents, with the included fields."""
    fields = row if "id" in included else {name: row[name] for name in row if name != "id"}
    if "id_text" in included:
        fields = {"id_text": str(row["id"]), **fields}
    if "etag" in included:  # the same as in the plant's own response
        fields = {**fields, "etag": f'"{entity_tag_of(NewPlant(**row))}"'}
    return fields


def _write_json(rows: Sequence[Row], included: Collection[str]) -> bytes:
    return _encoder.encode([_include(row, included) for row in rows])[1:-1]


def _write_ndjson(rows: Sequence[Row], included: Collection[str]) -> bytes:
    return _encoder.encode_lines([_include(row, {"id", *included}) for row in rows])


def _write_csv(rows: Sequence[Row], _included: Collection[str]) -> bytes:
    return write_lines(NewPlant(**row) for row in rows).encode()


def split_plants(plants: bytes) -> list[bytes]:
    """Split a page into plants, each without its braces and first quote.

    No text contains the separator of two plants: in JSON, a backslash precedes its quotes.
    """
    return plants[2:-1].split(_BETWEEN) if plants else []


def _to_lines(plants: bytes) -> bytes:
    return b'{"%s}\n' % b'}\n{"'.join(split_plants(plants)) if plants else b""


class Form(Struct, frozen=True):
    """How a list is written: ``opening``, ``between`` two parts, and ``closing``.

    ``copy`` converts a page's JSON directly, if possible. ``key`` precedes the query in cache keys
    and entity tags: no query begins like this. JSON has no key.
    """

    content_type: HeaderLines
    write: Callable[[Sequence[Row], Collection[str]], bytes]
    key: bytes
    opening: bytes = b""
    between: bytes = b""
    closing: bytes = b""
    copy: Callable[[bytes], bytes] | None = None


AS_JSON = Form(JSON, _write_json, b"", b"[", b",", b"]", bytes)
_CSV = b"Content-Type: text/csv; charset=utf-8; header=present\r\n"
_NDJSON = b"Content-Type: application/x-ndjson\r\n"
_OTHERS = {
    b"text/csv": Form(_CSV, _write_csv, b"csv ", HEADER.encode()),
    b"application/x-ndjson": Form(_NDJSON, _write_ndjson, b"ndjson ", copy=_to_lines),
}


@lru_cache(maxsize=100)
def choose_form(accepted: bytes | None) -> Form:
    """The form that ``Accept`` prefers; JSON unless another form is named."""
    weights = read_weights(accepted or b"")
    best = max(_OTHERS, key=lambda name: weights.get(name, 0.0))
    is_preferred = weights.get(best, 0.0) > weights.get(b"application/json", 0.0)
    return _OTHERS[best] if is_preferred else AS_JSON


def read_rows(plants: Sequence[bytes]) -> list[Row]:
    """Decode split plants; each has its id."""
    return _decode(b'[{"%s}]' % _BETWEEN.join(plants))
