"""Reads the headers of a write: media type, Idempotency-Key, ``If-Match`` and ``If-None-Match``.

Invariant: no change with a precondition is made unless the precondition was evaluated.
"""

import re
from collections.abc import Mapping

from plantstore.core.errors import RequestError
from plantstore.core.model import IdempotencyKey, Precondition

JSON_TYPE = b"application/json"
REPLAYED = b"Idempotent-Replayed: true\r\n"
_MAX_TAGS = 100  # an atomic body keeps those of all its lines
_TAG = re.compile(rb'(?:\A|,)\s*+(?:W/)?"([0-9a-f]{16})(?:-[a-z]+)?"\s*+(?=,|\Z)')
_PRINTABLE = re.compile(rb"[\x20-\x7e]{1,255}")


def check_media_type(headers: Mapping[bytes, bytes], media_type: bytes = JSON_TYPE) -> None:
    """Require JSON or this media type, in UTF-8; it is assumed for a body without a type.

    :raises RequestError: the body is something else, or encoded.
    """
    content_type, wanted = headers.get(b"content-type", media_type), media_type.decode()
    if content_type != media_type and (reason := _find_mismatch(content_type.lower(), media_type)):
        raise RequestError(41501, wanted=wanted, reason=reason, accept=wanted)
    if headers.get(b"content-encoding", b"identity").lower() != b"identity":
        reason = "a Content-Encoding is not supported"
        raise RequestError(41501, wanted=wanted, reason=reason, accept_encoding="identity")


def _find_mismatch(content_type: bytes, wanted: bytes) -> str | None:
    """Why a body of this type is not the wanted one; None if it is."""
    media_type, *parameters = (part.strip() for part in content_type.split(b";"))
    if media_type != wanted:
        hint = " or text/csv"
        if wanted == JSON_TYPE:
            hint = "; NDJSON goes to /changes" if b"ndjson" in media_type else ""
        return f"the Content-Type is not {wanted.decode()}{hint}"
    for parameter in parameters:
        name, _, value = parameter.partition(b"=")
        if name.strip() == b"charset" and value.strip(b' "') != b"utf-8":
            return "its charset is not utf-8"
    return None


def read_key(headers: Mapping[bytes, bytes], fingerprint: bytes) -> IdempotencyKey | None:
    """The request's idempotency key, with this fingerprint; None without a key.

    :raises RequestError: the Idempotency-Key is not valid, or there is a precondition.
    """
    refuse_precondition(headers)
    key = headers.get(b"idempotency-key")
    if key is None:
        return None
    if not _PRINTABLE.fullmatch(key):
        raise RequestError(40010, reason="must be 1 to 255 printable ASCII characters")
    return IdempotencyKey(key.decode(), fingerprint)


def read_precondition(headers: Mapping[bytes, bytes]) -> Precondition | None:
    """The request's condition on the plant's entity tag, if any.

    Tags that no plant can have match nothing, and are omitted.
    """
    sent = headers.get(b"if-match"), headers.get(b"if-none-match")
    if sent == (None, None):
        return None
    return Precondition(*(None if text is None else read_tags(text) for text in sent))


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

    :raises RequestError: there are too many.
    """
    if text.count(b",") >= _MAX_TAGS:
        raise RequestError(40014, reason=f"send at most {_MAX_TAGS} entity tags in a precondition")
    if text == b"*":
        return ("*",)
    return tuple(tag.decode() for tag in _TAG.findall(text))
