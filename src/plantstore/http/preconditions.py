"""Reads ``If-Match`` and ``If-None-Match`` of a request for one plant.

Invariant: no change with a precondition is made unless the precondition was evaluated.
"""

import re
from collections.abc import Mapping

from plantstore.core.errors import RequestError
from plantstore.core.model import Precondition

_TAG = re.compile(rb'(?:\A|,)\s*+(?:W/)?"([0-9a-f]{16})(?:-[a-z]+)?"\s*+(?=,|\Z)')


def read_precondition(headers: Mapping[bytes, bytes]) -> Precondition | None:
    """The request's condition on the plant's entity tag, if any.

    Tags that no plant can have match nothing, and are omitted.
    """
    if_match, if_none_match = headers.get(b"if-match"), headers.get(b"if-none-match")
    if if_match is None and if_none_match is None:
        return None
    return Precondition(
        None if if_match is None else read_tags(if_match),
        None if if_none_match is None else read_tags(if_none_match),
    )


def refuse_precondition(headers: Mapping[bytes, bytes]) -> None:
    """Refuse a precondition for a resource without an entity tag.

    :raises RequestError: the request has a precondition.
    """
    if b"if-match" in headers or b"if-none-match" in headers:
        raise RequestError(41202)


def read_tags(text: bytes) -> tuple[str, ...]:
    """The tags of a condition, also as compressing proxies send them.

    That is ``W/"TAG"`` or ``"TAG-gzip"``. RFC 9110 does not allow these in ``If-Match``, but a
    plant's tag stands for its contents.
    """
    if text == b"*":
        return ("*",)
    return tuple(tag.decode() for tag in _TAG.findall(text))
