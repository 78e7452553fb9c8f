"""The form of tokens: ``pst_<store number>_<32 random bytes><checksum>``, unless it was declared.

Numbers are in base62. The store's number only routes the lookup. The checksum, a CRC-32, only
detects typing errors and leaked tokens. Only the SHA-256 of a token is stored.
"""

import hashlib
import os
import re
import string
import zlib

PREFIX = "pst"
CODE_PREFIX = "psl"  # of a link's code, which has the form of a token
_DIGITS = string.digits + string.ascii_uppercase + string.ascii_lowercase
_VALUES = {digit: value for value, digit in enumerate(_DIGITS)}
_SECRET_BYTES = 32
_SECRET_LENGTH = 43  # 62**43 > 2**256
_CHECKSUM_LENGTH = 6  # 62**6 > 2**32
MAX_LENGTH = 128  # of a token that is looked up; ours have at most 64 characters
MIN_DECLARED = 32  # characters of a declared token
_FORM = re.compile(f"[a-z]{{3}}_[0-9A-Za-z]+_[0-9A-Za-z]{{{_SECRET_LENGTH + _CHECKSUM_LENGTH}}}")
_STORE_NUMBER = re.compile("[0-9A-Za-z]{1,10}")  # 62**10 < 2**63


def make_token(store_id: int, prefix: str = PREFIX) -> str:
    """A new token for the store with this number, or a link's code."""
    secret = int.from_bytes(os.urandom(_SECRET_BYTES), "big")
    unchecked = f"{prefix}_{_to_base62(store_id)}_{_to_base62(secret, _SECRET_LENGTH)}"
    return unchecked + _checksum(unchecked)


def read_store_id(token: str, prefix: str = PREFIX) -> int | None:
    """The store's number in a token, or None if it has none.

    The checksum is not verified: a lookup finds no token with a wrong checksum.
    """
    parts = token.split("_")
    # prefix, number, secret
    if len(parts) != 3 or parts[0] != prefix or not _STORE_NUMBER.fullmatch(parts[1]):  # noqa: PLR2004
        return None
    number = 0
    for digit in parts[1]:
        number = number * 62 + _VALUES[digit]
    return number


def read_code(code: str) -> tuple[int, bytes] | None:
    """The store's number in a link's code, and the code's hash; None if it is malformed."""
    store_id = read_store_id(code, CODE_PREFIX)
    if store_id is None or not is_well_formed(code, CODE_PREFIX):
        return None
    return store_id, hash_token(code)


def is_well_formed(token: str, prefix: str = PREFIX) -> bool:
    """Whether the token has the right form and checksum: it was not mistyped."""
    unchecked, checksum = token[:-_CHECKSUM_LENGTH], token[-_CHECKSUM_LENGTH:]
    has_form = token.startswith(f"{prefix}_") and _FORM.fullmatch(token) is not None
    return has_form and _checksum(unchecked) == checksum


def can_be_declared(token: str) -> bool:
    """Whether this may be a declared token, which has no checksum."""
    return len(token) >= MIN_DECLARED and not token.startswith(f"{PREFIX}_")


def hash_token(token: str) -> bytes:
    """The SHA-256 of a token, 32 bytes: the only form that is stored."""
    return hashlib.sha256(token.encode()).digest()


def _checksum(unchecked: str) -> str:
    return _to_base62(zlib.crc32(unchecked.encode()), _CHECKSUM_LENGTH)


def _to_base62(number: int, length: int = 1) -> str:
    digits = ""
    while number:
        number, digit = divmod(number, 62)
        digits = _DIGITS[digit] + digits
    return digits.rjust(length, _DIGITS[0])
