"""The lines of a body with many plants, and those of its response.

Invariant: of an incomplete line no more is kept than shows that it is too long.
"""

import msgspec
from msgspec import Struct

from plantstore.core.decoding import MAX_LINE
from plantstore.core.errors import PlantStoreError
from plantstore.http.errors import describe_error

_CREATED = b'{"line":%d,"status":200}\n'
_encode = msgspec.json.Encoder().encode


class Refused(Struct, frozen=True):
    """The result of a line that was refused; ``error`` and ``message`` are the interface's."""

    line: int
    status: int
    error: int
    message: str


class Lines:
    """Splits a body into lines as it arrives."""

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, part: bytes) -> list[bytes]:
        """The lines that are complete with this part."""
        *lines, rest = (self._rest + part).split(b"\n")
        self._rest = rest[: MAX_LINE + 1]
        return lines

    def end(self) -> list[bytes]:
        """The last line, which needs no line end."""
        return [self._rest]


def write_result(number: int, error: PlantStoreError | None) -> bytes:
    """The line that the response has for a line."""
    if error is None:
        return _CREATED % number
    found = describe_error(error)
    # The table's messages speak of a request with one plant.
    message = found.message.replace("the body", "the line", 1).replace("at line 1, ", "at ", 1)
    return _encode(Refused(number, found.error // 100, found.error, message)) + b"\n"
