"""Cursors: an opaque form of the id after which a list goes on."""

import base64
import binascii

from plantstore.model import INT64_MAX

_BYTES = 8
_LENGTH = 11


def encode_cursor(last_id: int) -> str:
    """The cursor that stands for the plants after this id."""
    return base64.urlsafe_b64encode(last_id.to_bytes(_BYTES, "big", signed=True)).decode()[:_LENGTH]


def decode_cursor(cursor: str) -> int | None:
    """The id that the cursor was made from, or None where we made no such cursor."""
    try:
        last_id = int.from_bytes(base64.urlsafe_b64decode(f"{cursor}="), "big", signed=True)
        ours = last_id < INT64_MAX and encode_cursor(last_id) == cursor
    except (binascii.Error, ValueError, OverflowError):
        return None
    return last_id if ours else None
