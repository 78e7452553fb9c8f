"""Cursors: an opaque form of the id after which a list continues."""

import base64
import re

from plantstore.model import INT64_MAX

_BYTES = 8
_LENGTH = 11
# The last character holds only the last four of the 64 bits: every fourth of the alphabet.
_FORM = re.compile("[A-Za-z0-9_-]{10}[AEIMQUYcgkosw048]")


def encode_cursor(last_id: int) -> str:
    """The cursor that stands for the plants after this id."""
    return base64.urlsafe_b64encode(last_id.to_bytes(_BYTES, "big", signed=True)).decode()[:_LENGTH]


def decode_cursor(cursor: str) -> int | None:
    """The id that the cursor was made from, or None if it is not one of ours."""
    if not _FORM.fullmatch(cursor):
        return None
    last_id = int.from_bytes(base64.urlsafe_b64decode(f"{cursor}="), "big", signed=True)
    return last_id if last_id < INT64_MAX else None
