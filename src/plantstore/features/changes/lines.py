"""The lines of a body with changes, and those of its response.

Invariant: of an incomplete line no more is kept than shows that it is too long.
"""

from typing import Any, Literal

import msgspec
from msgspec import UNSET, Struct, UnsetType, defstruct
from msgspec.structs import astuple, fields

from plantstore.core.database import Create, Delete, Update, Upsert
from plantstore.core.decoding import MAX_LINE, decode_usual, parse_json, read_id, to_new_plant
from plantstore.core.errors import PlantStoreError, RequestError
from plantstore.core.model import Caller, NewPlant, Precondition, Scope, contents_of, entity_tag_of
from plantstore.core.operations import require_scope
from plantstore.http.errors import describe_error
from plantstore.http.preconditions import read_tags

Change = Create | Update | Upsert | Delete

_SCOPES = {
    "create": (Scope.CREATE,),
    "update": (Scope.UPDATE,),
    "upsert": (Scope.CREATE, Scope.UPDATE),
    "delete": (Scope.DELETE,),
}
_ID, *_TEXTS = fields(NewPlant)
_NO_TEXTS = tuple("" if text.required else text.default for text in _TEXTS)  # of a delete
# A plant's fields, and which change it is.
_Line = defstruct(
    "_Line",
    [
        (_ID.name, _ID.type),
        *((text.name, text.type, none) for text, none in zip(_TEXTS, _NO_TEXTS, strict=True)),
        ("op", Literal["create", "update", "upsert", "delete"], "create"),
        ("if_match", str | UnsetType, UNSET),
    ],
    frozen=True,
)
_decode: Any = msgspec.json.Decoder(_Line).decode
_encode = msgspec.json.Encoder().encode
_STORED = b'{"line":%d,"status":200,"etag":"\\"%s\\""}\n'
_DELETED = b'{"line":%d,"status":204}\n'


class Refused(Struct, frozen=True):
    """The result of a line that was refused; ``error`` and ``message`` are the interface's."""

    line: int
    status: int
    error: int
    message: str


class Lines:
    """Splits a body into lines as it arrives."""

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, part: bytes) -> list[bytes]:
        """The lines that are complete with this part."""
        *lines, rest = (self._rest + part).split(b"\n")
        self._rest = rest[: MAX_LINE + 1]
        return lines

    def end(self) -> list[bytes]:
        """The last line, which needs no line end."""
        return [self._rest]


def read_change(line: bytes, caller: Caller) -> Change | PlantStoreError:
    """The caller's change in a line, or why there is none."""
    try:
        return _read_change(line, caller)
    except PlantStoreError as error:
        return error


def _read_change(text: bytes, caller: Caller) -> Change:
    if len(text) > MAX_LINE:
        raise RequestError(41301)
    line: Any = decode_usual(text, _decode)
    if line is None or ("" in contents_of(line) and line.op != "delete"):
        line = _decode_slowly(text)
    for scope in _SCOPES[line.op]:
        require_scope(caller, scope)
    condition = None
    if line.if_match is not UNSET:
        condition = Precondition(read_tags(line.if_match.encode(errors="replace")), None)
    if line.op == "delete":
        return Delete(caller.store_id, caller, line.id, condition)
    plant = NewPlant(line.id, *contents_of(line))
    if line.op == "create":
        if condition is not None:
            raise RequestError(41202)
        return Create(caller.store_id, caller, plant, None)
    # An upsert with a condition is of a plant that is there.
    if line.op == "update" or condition is not None:
        return Update(caller.store_id, caller, plant, condition)
    return Upsert(caller.store_id, caller, plant)


def _decode_slowly(text: bytes) -> Any:  # noqa: ANN401 - a _Line
    """As ``_decode``, by all the rules, to say what is wrong."""
    found = parse_json(text)
    values = found if isinstance(found, dict) else {}
    op, if_match = values.get("op", "create"), values.get("if_match", UNSET)
    if op not in tuple(_SCOPES):
        raise RequestError(40002, reason=f"op must be {', '.join(_SCOPES)}, or left out")
    if not isinstance(if_match, str | UnsetType):
        raise RequestError(40002, reason="if_match must be a string, or left out")
    if op == "delete" and "id" in values:
        return _Line(read_id(values["id"]), *_NO_TEXTS, op, if_match)
    return _Line(*astuple(to_new_plant(found)), op, if_match)


def write_result(number: int, change: Change | PlantStoreError) -> bytes:
    """The line that the response has for a line: for a change that is done, or for an error."""
    if isinstance(change, Delete):
        return _DELETED % number
    if not isinstance(change, PlantStoreError):
        return _STORED % (number, entity_tag_of(change.plant).encode())
    error = describe_error(change).error
    return _encode(Refused(number, error // 100, error, describe_line(change))) + b"\n"


def describe_line(error: PlantStoreError) -> str:
    """The error's message, about a line: the table's speak of a body with one plant."""
    message = describe_error(error).message
    return message.replace("the body", "the line", 1).replace("at line 1, ", "at ", 1)
