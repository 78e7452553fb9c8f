"""The lines of a body with changes, and the lines of its response.

Invariant: an incomplete line is buffered only up to the maximum length.
"""

from typing import Literal

import msgspec
from msgspec import UNSET, UnsetType
from msgspec.structs import asdict

from plantstore.core.decoding import decode_fields, parse_json, read_id, to_new_plant
from plantstore.core.errors import PlantStoreError, RequestError
from plantstore.core.model import Caller, NewPlant, Precondition, Scope, contents_of, entity_tag_of
from plantstore.core.operations import Create, Delete, Update, Upsert, Write, require_scope
from plantstore.http.errors import describe_error
from plantstore.http.write_headers import read_tags

MAX_LINE = 16 * 1024  # bytes; the longest texts take up to 15 KB with escapes
_SCOPES = {
    "create": (Scope.CREATE,),
    "update": (Scope.UPDATE,),
    "upsert": (Scope.CREATE, Scope.UPDATE),
    "delete": (Scope.DELETE,),
}


class _Line(NewPlant, frozen=True):
    """A plant and its change."""

    op: Literal["create", "update", "upsert", "delete"] = "create"
    if_match: str | UnsetType = UNSET


KEYS = frozenset(_Line.__struct_fields__)
_decode = msgspec.json.Decoder(_Line).decode
_encode = msgspec.json.Encoder().encode
_STORED = b'{"line":%d,"status":200,"etag":"\\"%s\\""}\n'
_DELETED = b'{"line":%d,"status":204}\n'


class Lines:
    """Splits a caller's body as it arrives, and reads its lines; ``kept`` counts kept bytes."""

    def __init__(self, caller: Caller) -> None:
        self.caller = caller
        self.kept = 0
        self._rest = b""

    def feed(self, part: bytes) -> list[bytes]:
        """The lines that this part completes."""
        *lines, rest = (self._rest + part).split(b"\n")
        self._rest = rest[: MAX_LINE + 1]
        return lines

    def end(self) -> list[bytes]:
        """The last line, which needs no line break."""
        return [self._rest]

    def read(self, line: bytes) -> "Write | PlantStoreError | None":
        """The change in a line, or its error; None to skip the line."""
        try:
            return self._read(line)
        except PlantStoreError as error:
            error.__traceback__ = error.__context__ = error.__cause__ = None  # or it keeps frames
            return error

    def _read(self, line: bytes) -> Write | None:
        if len(line) > MAX_LINE:
            raise RequestError(41301)
        change, caller = decode_fields(_decode, _decode_slowly, line), self.caller
        for scope in _SCOPES[change.op]:
            require_scope(caller, scope)
        condition = None
        if change.if_match is not UNSET:
            condition = Precondition(read_tags(change.if_match.encode(errors="replace")), None)
        if change.op == "delete":
            return Delete(caller.store_id, caller, change.id, condition)
        plant = NewPlant(change.id, *contents_of(change))
        if change.op == "create":
            if condition is not None:
                raise RequestError(41202)
            return Create(caller.store_id, caller, plant)
        # An upsert with a condition needs an existing plant.
        if change.op == "update" or condition is not None:
            return Update(caller.store_id, caller, plant, condition)
        return Upsert(caller.store_id, caller, plant)


def _decode_slowly(text: bytes) -> _Line:
    """Like ``_decode``, but checks every rule to explain the error. A delete needs no name."""
    value = parse_json(text)
    values = value if isinstance(value, dict) else {}
    op, if_match = values.get("op", "create"), values.get("if_match", UNSET)
    if op not in tuple(_SCOPES):
        raise RequestError(40002, reason=f"op must be {', '.join(_SCOPES)}, or omitted")
    if not isinstance(if_match, str | UnsetType):
        raise RequestError(40002, reason="if_match must be a string, or omitted")
    is_delete = op == "delete" and "id" in values
    plant = NewPlant(read_id(values["id"]), "") if is_delete else to_new_plant(value)
    return _Line(**asdict(plant), op=op, if_match=if_match)


def write_result(number: int, change: Write | PlantStoreError) -> bytes:
    """The response's line for a change that was made, or for an error."""
    if isinstance(change, Delete):
        return _DELETED % number
    if not isinstance(change, PlantStoreError):
        return _STORED % (number, entity_tag_of(change.plant).encode())
    error = describe_error(change).error
    result = {"line": number, "status": error // 100, "error": error}
    return _encode(result | {"message": describe_line(change)}) + b"\n"


def describe_line(error: PlantStoreError) -> str:
    """The error's message for a line with a change; the table's is for a body with a plant."""
    message = describe_error(error).message.replace("must be a plant", "must be a change", 1)
    message = message.replace("the body is over 64", "the line is over 16", 1)
    return message.replace("the body", "the line", 1).replace("at line 1, ", "at ", 1)
