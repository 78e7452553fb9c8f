"""Decodes the body of a create: quickly where it is right, precisely where it is not."""

import json
from typing import Any, NoReturn

import msgspec
from msgspec import UNSET, Struct, UnsetType

from plantstore.errors import InvalidPlantError
from plantstore.http.errors import BodyNotJsonError
from plantstore.model import INT64_MAX, INT64_MIN, NAME_MAX, TAG_MAX, NewPlant, text_fault


class _Body(Struct):
    id: int
    name: str
    tag: str | UnsetType = UNSET


_decode = msgspec.json.Decoder(_Body).decode


def decode_new_plant(body: bytes) -> NewPlant:
    """The plant in the body; unknown keys are ignored, of repeated ones the last counts.

    :raises BodyNotJsonError: the body is not one JSON value in UTF-8.
    :raises InvalidPlantError: it is, but no NewPlant; the message names the field and the rule.
    """
    try:
        body.decode()  # msgspec does not look into the strings of unknown keys
        found = _decode(body)
    except (UnicodeDecodeError, msgspec.DecodeError, RecursionError):
        return _decode_slowly(body)
    return _check(found.id, found.name, None if found.tag is UNSET else found.tag)


def _check(plant_id: int, name: str, tag: str | None) -> NewPlant:
    if not INT64_MIN <= plant_id <= INT64_MAX:
        _refuse(f"id must be from {INT64_MIN} to {INT64_MAX}")
    if fault := text_fault(name, NAME_MAX):
        _refuse(f"name {fault}")
    if tag is not None and (fault := text_fault(tag, TAG_MAX)):
        _refuse(f"tag {fault}")
    return NewPlant(plant_id, name, tag)


def _refuse(fault: str) -> NoReturn:
    raise InvalidPlantError(fault=fault)


def _decode_slowly(body: bytes) -> NewPlant:
    """As ``decode_new_plant``, with the standard library's decoder, to say what is wrong."""
    fields = _parse(body)
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
    return _check(plant_id, name, tag if "tag" in fields else None)


class _Float:
    """A number with a fraction or an exponent."""


def _parse(body: bytes) -> Any:  # noqa: ANN401 - it is any JSON value
    try:
        return json.loads(
            body.decode(),
            parse_int=_parse_integer,
            parse_float=lambda _: _Float(),
            parse_constant=_refuse_constant,
        )
    except UnicodeDecodeError as error:
        raise BodyNotJsonError(fault=f"byte {error.start} is not UTF-8") from None
    except RecursionError:
        raise BodyNotJsonError(fault="it is nested too deeply") from None
    except ValueError as error:
        raise BodyNotJsonError(fault=str(error) if body else "it is empty") from None


def _parse_integer(digits: str) -> int:
    """Any number beyond int64 will do for one with more digits: Python refuses to read those."""
    return int(digits) if len(digits) <= len(str(INT64_MIN)) else INT64_MAX + 1


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _describe(value: object) -> str:
    kinds = {dict: "an object", list: "an array", str: "a string", int: "an integer"}
    kinds |= {bool: "a boolean", _Float: "a number with a fraction or exponent"}
    return kinds.get(type(value), "null")
