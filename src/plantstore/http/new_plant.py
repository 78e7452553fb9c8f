"""Reads a create or an update: its media type, its key, and the plant in its body.

A usual body is decoded quickly; any other with precise error messages.
"""

import json
import re
import sys
from collections.abc import Mapping
from typing import Annotated, Any, NoReturn

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from plantstore.errors import RequestError
from plantstore.http.preconditions import refuse_precondition
from plantstore.model import (
    INT64_MAX,
    INT64_MIN,
    NAME_MAX,
    TAG_MAX,
    IdempotencyKey,
    NewPlant,
    broken_rule,
    digest_of,
)

JSON_TYPE = b"application/json"
# The headers besides Content-Type that say something about a create; most have none of them.
UNUSUAL = frozenset({b"content-encoding", b"idempotency-key", b"if-match", b"if-none-match"})
_PRINTABLE = re.compile(rb"[\x20-\x7e]{1,255}")


class _Body(Struct):
    id: Annotated[int, Meta(ge=INT64_MIN, le=INT64_MAX)]
    name: Annotated[str, Meta(min_length=1, max_length=NAME_MAX)]
    tag: Annotated[str, Meta(min_length=1, max_length=TAG_MAX)] | UnsetType = UNSET


_decode = msgspec.json.Decoder(_Body).decode


def check_media_type(headers: Mapping[bytes, bytes], media_type: bytes = JSON_TYPE) -> None:
    """Require JSON, or another media type, in UTF-8.

    :raises RequestError: the body is something else, or encoded.
    """
    content_type = headers.get(b"content-type")
    if content_type is None:
        raise _refuse_type("there is no Content-Type header", media_type)
    if content_type != media_type:
        _check_content_type(content_type.lower(), media_type)
    encoding = headers.get(b"content-encoding", b"identity")
    if encoding.lower() != b"identity":
        wanted, reason = media_type.decode(), "a Content-Encoding is not supported"
        raise RequestError(41501, wanted=wanted, reason=reason, accept_encoding="identity")


def _check_content_type(content_type: bytes, wanted: bytes) -> None:
    media_type, *parameters = (part.strip() for part in content_type.split(b";"))
    if media_type != wanted:
        raise _refuse_type(f"the Content-Type is not {wanted.decode()}", wanted)
    for parameter in parameters:
        name, _, value = parameter.partition(b"=")
        if name.strip() == b"charset" and value.strip(b' "') != b"utf-8":
            raise _refuse_type("its charset is not utf-8", wanted)


def _refuse_type(reason: str, wanted: bytes) -> RequestError:
    return RequestError(41501, wanted=wanted.decode(), reason=reason, accept=wanted.decode())


def read_key(headers: Mapping[bytes, bytes], plant: NewPlant) -> IdempotencyKey | None:
    """The key of a create of this plant; None if it has none.

    :raises RequestError: the Idempotency-Key is not valid, or there is a precondition.
    """
    refuse_precondition(headers)
    key = headers.get(b"idempotency-key")
    if key is None:
        return None
    if not _PRINTABLE.fullmatch(key):
        raise RequestError(40010, reason="must be 1 to 255 printable ASCII characters")
    return IdempotencyKey(key.decode(), digest_of(plant))


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
