"""Decodes plants from JSON or from fields, by the rules of the interface.

Bodies, their lines, and lines of files are all decoded here, by the limits of ``NewPlant``. A fast
path decodes valid plants; a slow path explains precisely what is wrong.
"""

import json
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from decimal import Decimal, InvalidOperation
from functools import partial
from typing import Any, NoReturn, TypeVar

import msgspec

from plantstore.core.errors import RequestError
from plantstore.core.model import (
    INT64_MAX,
    INT64_MIN,
    OPTIONAL_FIELDS,
    PLANT_FIELDS,
    TEXT_LENGTHS,
    NewPlant,
    broken_rule,
    contents_of,
)

_STARTS = b",", b"[", b"{"  # about one for each value
_MAX_VALUES = 5000
_HUGE = 10**40  # larger than any id
sys.set_int_max_str_digits(640)  # the least that is possible: the time grows with the square
_BACKSLASH, _DEL = b"\\\x7f"

Fields = TypeVar("Fields", bound=msgspec.Struct)  # a plant's fields, and maybe others

_decode = msgspec.json.Decoder(NewPlant).decode


def decode_fields(
    decode: Callable[[bytes], Fields], decode_slowly: Callable[[bytes], Fields], body: bytes
) -> Fields:
    """Decode a body with a plant's fields; ``decode_slowly`` checks unusual bodies."""
    if len(body) > _MAX_VALUES:
        _limit_values(body)
    try:
        decoded = decode(body)
        # In JSON, other control characters than DEL are written with a backslash.
        is_printable = body.isascii() and _BACKSLASH not in body and _DEL not in body
        if not is_printable:
            body.decode()  # msgspec does not check the strings of unknown keys
    except (UnicodeDecodeError, msgspec.DecodeError, RecursionError):
        return decode_slowly(body)
    for value in contents_of(decoded):
        if value is None:
            is_unusual = b"null" in body  # null may have been sent for an optional field
        else:
            is_unusual = value.isspace() or not (is_printable or value.isprintable())
        if is_unusual:
            return decode_slowly(body)
    return decoded


def decode_plant(body: bytes, plant_id: int) -> NewPlant:
    """Like ``decode_new_plant``, for the plant with this id; the body may omit the id.

    :raises RequestError: the body is not one JSON value in UTF-8, or not this Plant.
    """
    fields = parse_json(body)
    plant = to_new_plant({"id": plant_id} | fields if isinstance(fields, dict) else fields)
    if plant.id != plant_id:  # an update never changes a plant's id
        _refuse(f"id must be the path's, {plant_id}, or omitted")
    return plant


def to_new_plant(fields: object) -> NewPlant:
    """Convert a JSON value to a plant.

    :raises RequestError: the value is not a NewPlant; the reason names the field and the rule.
    """
    if not isinstance(fields, dict):
        _refuse(f"it is {_describe(fields)}, not an object")
    for field in PLANT_FIELDS:
        if field not in fields and field not in OPTIONAL_FIELDS:
            _refuse(f"{field} is missing")
    plant_id = read_id(fields["id"])
    texts: list[Any] = [_read_text(fields, field) for field in TEXT_LENGTHS]
    return NewPlant(plant_id, *texts)


def read_id(plant_id: object) -> int:
    """A plant's id, from a JSON value; it may be written as ``7.0`` or ``7e0``."""
    if isinstance(plant_id, bytes):
        with suppress(InvalidOperation):  # the exponent has too many digits
            number = Decimal(plant_id.decode())
            if -_HUGE < number < _HUGE and number == number.to_integral_value():
                plant_id = int(number)  # exactly, without a float in between
    if type(plant_id) is not int:
        _refuse(f"id must be a whole number, such as 7, not {_describe(plant_id)}")
    if not INT64_MIN <= plant_id <= INT64_MAX:
        _refuse(f"id must be from {INT64_MIN} to {INT64_MAX}")
    return plant_id


def _read_text(fields: Mapping[str, Any], field: str) -> str | None:
    if field not in fields:
        return None
    text = fields[field]
    if not isinstance(text, str):
        or_not = " or omitted" if field in OPTIONAL_FIELDS else ""
        _refuse(f"{field} must be a string{or_not}, not {_describe(text)}")
    if rule := broken_rule(text, *TEXT_LENGTHS[field]):
        _refuse(f"{field} {rule}")
    return text


# The plant in a body; unknown keys are ignored; the last of repeated keys counts. It raises
# RequestError: the body is not one JSON value in UTF-8, or not a NewPlant.
decode_new_plant = partial(decode_fields, _decode, lambda body: to_new_plant(parse_json(body)))


def _refuse(reason: str) -> NoReturn:
    raise RequestError(40002, reason=reason)


def parse_json(body: bytes) -> Any:  # noqa: ANN401 - it is any JSON value
    """Parse a JSON value; a number with a fraction or an exponent stays text, in bytes.

    :raises RequestError: it is not one JSON value in UTF-8, or has very many digits or values.
    """
    _limit_values(body)
    try:
        return json.loads(body.decode(), parse_float=str.encode, parse_constant=_refuse_constant)
    except UnicodeDecodeError as error:
        raise RequestError(40001, reason=f"byte {error.start} is not valid UTF-8") from None
    except RecursionError:
        raise RequestError(40001, reason="it is nested too deeply") from None
    except json.JSONDecodeError as error:
        where = f"it is not valid JSON at line {error.lineno}, column {error.colno}"
        raise RequestError(40001, reason=where if body else "it is empty") from None
    except ValueError:  # Python limits the number of digits
        reason = f"an integer in it has more than {sys.get_int_max_str_digits()} digits"
        raise RequestError(40002, reason=reason) from None


def _limit_values(body: bytes) -> None:
    """Refuse bodies with many values: each takes time, even if it is ignored."""
    if sum(map(body.count, _STARTS)) > _MAX_VALUES:
        reason = f"it has more than {_MAX_VALUES} commas and open brackets, texts included"
        raise RequestError(40001, reason=reason)


def _refuse_constant(name: str) -> NoReturn:
    raise RequestError(40001, reason=f"{name} is not JSON")


def _describe(value: object) -> str:
    kinds = {dict: "an object", list: "an array", str: "a string", int: "an integer"}
    kinds |= {bool: "a boolean", bytes: "a number with a fraction"}
    return kinds.get(type(value), "null")
