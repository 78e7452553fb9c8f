"""Reads ``If-Match`` and ``If-None-Match`` of a request for one plant, as RFC 9110 has them."""

import re
from collections.abc import Mapping

from plantstore.model import Precondition

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


def _read_tags(text: bytes, *, is_weak_read: bool) -> tuple[str, ...]:
    if text == b"*":
        return ("*",)
    found = (_TAG.fullmatch(part.strip()) for part in text.split(b","))
    return tuple(tag[2].decode() for tag in found if tag and (is_weak_read or not tag[1]))
