"""Reads ``If-Match`` and ``If-None-Match`` of a request for one plant, as RFC 9110 has them.

Invariant: no change is made that the client has tied to a condition which nobody evaluates.
"""

import re
from collections.abc import Mapping

from plantstore.core.errors import RequestError
from plantstore.core.model import Precondition

_TAG = re.compile(rb'(W/)?"([0-9a-f]{16})"')


def read_precondition(headers: Mapping[bytes, bytes]) -> Precondition | None:
    """What the request says of the plant's entity tag, if it does.

    Any other tag than a plant can have matches nothing, and is left out. ``If-Match`` compares
    strongly: a weak tag matches nothing there.
    """
    if_match, if_none_match = headers.get(b"if-match"), headers.get(b"if-none-match")
    if if_match is None and if_none_match is None:
        return None
    return Precondition(
        None if if_match is None else _read_tags(if_match, is_weak_read=False),
        None if if_none_match is None else _read_tags(if_none_match, is_weak_read=True),
    )


def refuse_precondition(headers: Mapping[bytes, bytes]) -> None:
    """Refuse a change to what has no entity tag of its own.

    :raises RequestError: the request has a precondition.
    """
    if b"if-match" in headers or b"if-none-match" in headers:
        raise RequestError(41202)


def _read_tags(text: bytes, *, is_weak_read: bool) -> tuple[str, ...]:
    if text == b"*":
        return ("*",)
    found = (_TAG.fullmatch(part.strip()) for part in text.split(b","))
    return tuple(tag[2].decode() for tag in found if tag and (is_weak_read or not tag[1]))
