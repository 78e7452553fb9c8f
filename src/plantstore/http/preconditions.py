"""Reads ``If-Match`` and ``If-None-Match`` of a request for one plant.

Invariant: no change is made that the client has tied to a condition which nobody evaluates.
"""

import re
from collections.abc import Mapping

from plantstore.core.errors import RequestError
from plantstore.core.model import Precondition

_TAG = re.compile(rb'(?:W/)?"([0-9a-f]{16})(?:-[a-z]+)?"')


def read_precondition(headers: Mapping[bytes, bytes]) -> Precondition | None:
    """What the request says of the plant's entity tag, if it does.

    Any other tag than a plant can have matches nothing, and is left out.
    """
    if_match, if_none_match = headers.get(b"if-match"), headers.get(b"if-none-match")
    if if_match is None and if_none_match is None:
        return None
    return Precondition(
        None if if_match is None else read_tags(if_match),
        None if if_none_match is None else read_tags(if_none_match),
    )


def refuse_precondition(headers: Mapping[bytes, bytes]) -> None:
    """Refuse a change to what has no entity tag of its own.

    :raises RequestError: the request has a precondition.
    """
    if b"if-match" in headers or b"if-none-match" in headers:
        raise RequestError(41202)


def read_tags(text: bytes) -> tuple[str, ...]:
    """The tags of a condition, also as compressing proxies send them.

    That is ``W/"TAG"`` or ``"TAG-gzip"``. For ``If-Match`` RFC 9110 has no such ones; but a plant's
    tag stands for its contents.
    """
    if text == b"*":
        return ("*",)
    tags = (_TAG.fullmatch(part.strip()) for part in text.split(b","))
    return tuple(tag[1].decode() for tag in tags if tag)
