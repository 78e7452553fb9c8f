"""Decodes a plant, from JSON or from fields, by the interface's own rules.

What a body, a line of one, or a line of a file has is decoded here alone. A usual plant is decoded
quickly; any other with precise error messages.
"""

import json
import sys
from collections.abc import Iterable, Iterator
from typing import Annotated, Any, NoReturn

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from plantstore.errors import RequestError
from plantstore.model import INT64_MAX, INT64_MIN, NAME_MAX, TAG_MAX, NewPlant, broken_rule

MAX_LINE = 64 * 1024  # bytes of NDJSON

Line = tuple[int, NewPlant | RequestError]  # its number, and its plant, or why it has none


class _Body(Struct):
    id: Annotated[int, Meta(ge=INT64_MIN, le=INT64_MAX)]
    name: Annotated[str, Meta(min_length=1, max_length=NAME_MAX)]
    tag: Annotated[str, Meta(min_length=1, max_length=TAG_MAX)] | UnsetType = UNSET


_decode = msgspec.json.Decoder(_Body).decode


def decode_new_plant(body: bytes) -> NewPlant:
    """The plant in the body; unknown keys are ignored; the last of repeated keys counts.

    :raises RequestError: the body is not one JSON value in UTF-8, or not a NewPlant.
    """
    try:
        body.decode()  # msgspec does not check the strings of unknown keys
        found = _decode(body)
    except (UnicodeDecodeError, msgspec.DecodeError, RecursionError):
        return _decode_slowly(body)
    name, tag = found.name, found.tag or "-"
    if not (name.isprintable() and tag.isprintable()) or name.isspace() or tag.isspace():
        return _decode_slowly(body)  # which knows all the rules
    return NewPlant(found.id, name, found.tag or None)


def decode_lines(
    lines: Iterable[bytes], first: int = 1, *, with_ids: bool = True
) -> Iterator[Line]:
    """The plants in lines of NDJSON, of which ``first`` is the number of the first one.

    Blank lines are counted, and skipped. Without ids, each plant's is 0, whatever its line says.
    """
    for number, line in enumerate(lines, first):
        if line and not line.isspace():
            yield number, _decode_line(line, with_id=with_ids)


def _decode_line(line: bytes, *, with_id: bool) -> NewPlant | RequestError:
    if len(line) > MAX_LINE:
        return RequestError(41301)
    try:
        if with_id:
            return decode_new_plant(line)
        fields = parse_json(line)
        return to_new_plant(fields | {"id": 0} if isinstance(fields, dict) else fields)
    except RequestError as error:
        return error


def decode_plant(body: bytes, plant_id: int) -> NewPlant:
    """As ``decode_new_plant``, for the plant with this id, which the body need not have.

    :raises RequestError: the body is not one JSON value in UTF-8, or not this Plant.
    """
    fields = parse_json(body)
    plant = to_new_plant({"id": plant_id} | fields if isinstance(fields, dict) else fields)
    if plant.id != plant_id:  # no update gives a plant another id, though it may look so
        _refuse(f"id must be the path's, {plant_id}, or left out")
    return plant


def _decode_slowly(body: bytes) -> NewPlant:
    """As ``decode_new_plant``, with the standard library's decoder, to say what is wrong."""
    return to_new_plant(parse_json(body))


def to_new_plant(fields: object) -> NewPlant:
    """The plant that a JSON value is.

    :raises RequestError: it is not a NewPlant; the reason names the field and the rule.
    """
    if not isinstance(fields, dict):
        _refuse(f"it is {_describe(fields)}, not an object")
    for field in ("id", "name"):
        if field not in fields:
            _refuse(f"{field} is missing")
    plant_id, name, tag = fields["id"], fields["name"], fields.get("tag", "-")
    if type(plant_id) is not int:
        _refuse(f"id must be a whole number, such as 7, not {_describe(plant_id)}")
    if not isinstance(name, str):
        _refuse(f"name must be a string, not {_describe(name)}")
    if not isinstance(tag, str):
        _refuse(f"tag must be a string or left out, not {_describe(tag)}")
    if not INT64_MIN <= plant_id <= INT64_MAX:
        _refuse(f"id must be from {INT64_MIN} to {INT64_MAX}")
    if rule := broken_rule(name, NAME_MAX):
        _refuse(f"name {rule}")
    if rule := broken_rule(tag, TAG_MAX):
        _refuse(f"tag {rule}")
    return NewPlant(plant_id, name, fields.get("tag"))


def _refuse(reason: str) -> NoReturn:
    raise RequestError(40002, reason=reason)


def parse_json(body: bytes) -> Any:  # noqa: ANN401 - it is any JSON value
    """The JSON value. It is parsed without a call of Python's for each number in it.

    :raises RequestError: it is not one JSON value in UTF-8, or has an integer of very many digits.
    """
    try:
        return json.loads(body.decode(), parse_constant=_refuse_constant)
    except UnicodeDecodeError as error:
        raise RequestError(40001, reason=f"byte {error.start} is not valid UTF-8") from None
    except RecursionError:
        raise RequestError(40001, reason="it is nested too deeply") from None
    except json.JSONDecodeError as error:
        where = f"it is not valid JSON at line {error.lineno}, column {error.colno}"
        raise RequestError(40001, reason=where if body else "it is empty") from None
    except ValueError:  # Python reads no more digits than it can in a short time
        reason = f"an integer in it has more than {sys.get_int_max_str_digits()} digits"
        raise RequestError(40002, reason=reason) from None


def _refuse_constant(name: str) -> NoReturn:
    raise RequestError(40001, reason=f"{name} is not JSON")


def _describe(value: object) -> str:
    kinds = {dict: "an object", list: "an array", str: "a string", int: "an integer"}
    kinds |= {bool: "a boolean", float: "a number with a fraction or exponent"}
    return kinds.get(type(value), "null")
