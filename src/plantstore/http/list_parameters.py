"""The parameters of a list: reads them from a request, and writes them into a link.

Numbers are written as in JSON: ``int`` alone would accept ``１２``, ``1_0`` and ``+7``.
"""

import base64
import re
from collections.abc import Callable
from typing import TypeVar
from urllib.parse import quote, unquote_plus

from plantstore.core.errors import RequestError
from plantstore.core.model import INT64_MAX, INT64_MIN, TEXT_LENGTHS, PlantQuery, broken_rule

Parameters = dict[str, list[str]]  # the values of each, by name
Value = TypeVar("Value")

LIMIT_MAX = 2**31 - 1
_MAX_PARAMETERS = 50
_MISLEADING = {
    *("page", "per_page", "offset", "cursor", "sort", "order", "q", "search", "filter"),
    *("id", "name", "tag", "limit", "after", "include"),
}
_INTEGER = re.compile("-?(0|[1-9][0-9]{0,18})")
# An id's 64 bits: the last character has only four bits, so it is one of 16.
_CURSOR = re.compile("[A-Za-z0-9_-]{10}[AEIMQUYcgkosw048]")


def read_plant_query(text: bytes) -> PlantQuery:
    """Read a list's parameters; unknown ones are ignored unless they would mislead.

    :raises RequestError: a parameter is invalid, given twice or misleading, or there are too many.
    """
    if not text:
        return PlantQuery()
    given = read_parameters(text, "limit", "after", "tag", "include")
    tags = tuple(dict.fromkeys(given.get("tag", ())))
    for tag in tags:
        if rule := broken_rule(tag, *TEXT_LENGTHS["tag"]):
            raise RequestError(40008, reason=rule)
    included = read_include(given.get("include", []), "id", "id_text", "etag")
    return PlantQuery(
        limit=read_limit(given, 0, LIMIT_MAX),
        first_id=read_one(given, "after", _read_after, 40006, INT64_MIN),
        tags=tags,
        with_total=bool(tags),
        with_ids=bool(included),
        included=included,
    )


def read_parameters(text: bytes, *known: str) -> Parameters:
    """The values of each parameter, known or ignored.

    Refuse names that other services use to page, sort or search, and names in other capitals: if
    they were ignored, the client would get a different list from the one it asked for.

    :raises RequestError: there is such a parameter, or there are too many.
    """
    given, misleading = split_parameters(text), _MISLEADING.union(known)
    for name in given:
        if name not in known and name.lower() in misleading:
            reason = f"{name} is not known here: the known ones are {', '.join(known)}"
            raise RequestError(40013, reason=reason)
    return given


def write_plant_query(query: PlantQuery) -> str:
    """Write the query as parameters of a URL."""
    parameters = []
    if query.limit is not None:
        parameters.append(f"limit={query.limit}")
    if query.first_id > INT64_MIN:
        last_id = (query.first_id - 1).to_bytes(8, "big", signed=True)
        parameters.append(f"after={base64.urlsafe_b64encode(last_id).decode().rstrip('=')}")
    parameters += [f"tag={quote(tag, safe='')}" for tag in query.tags]
    parameters += [f"include={name}" for name in sorted(query.included)]
    return "&".join(parameters)


def read_integer(text: str) -> int | None:
    """A number of up to 19 digits; None if it is not written as in JSON."""
    return int(text) if _INTEGER.fullmatch(text) else None


def split_parameters(text: bytes) -> Parameters:
    """The values of each parameter; bytes that are not UTF-8 become lone surrogates."""
    given: Parameters = {}
    if text.count(b"&") >= _MAX_PARAMETERS:
        raise RequestError(40012, limit=_MAX_PARAMETERS)
    for part in text.decode(errors="surrogateescape").split("&"):
        name, _, value = part.partition("=")
        if "%" in part or "+" in part:
            name, value = (unquote_plus(it, errors="surrogateescape") for it in (name, value))
        given.setdefault(name, []).append(value)
    return given


def read_one(
    given: Parameters, name: str, read: Callable[[str], Value], number: int, default: Value
) -> Value:
    """The value of a parameter that may be given once; ``number`` is that of the error."""
    values = given.get(name)
    if values is None:
        return default
    if len(values) > 1:
        raise RequestError(number, reason="is given twice: give it once")
    return read(values[0])


def read_limit(given: Parameters, lowest: int, highest: int) -> int | None:
    """The ``limit`` among the parameters, if it is there."""
    limit = read_one(given, "limit", read_integer, 40005, None)
    if "limit" in given and (limit is None or not lowest <= limit <= highest):
        raise RequestError(40005, reason=f"must be a whole number from {lowest} to {highest}")
    return limit


def _read_after(text: str) -> int:
    last_id = INT64_MAX  # no plant follows
    if _CURSOR.fullmatch(text):
        last_id = int.from_bytes(base64.urlsafe_b64decode(f"{text}="), "big", signed=True)
    if last_id == INT64_MAX:
        raise RequestError(40006, reason="must be a cursor from a response's Link header")
    return last_id + 1


def read_include(values: list[str], *known: str) -> frozenset[str]:
    """The included fields: the parameter may be repeated, or a list with commas.

    :raises RequestError: a value is not known.
    """
    names = frozenset(",".join(values).split(",") if values else ())
    if not names.issubset(known):
        raise RequestError(40007, reason=f"takes {', '.join(known)}")
    return names
