"""Values of JSON, as they are written in JSON, Python and JavaScript.

What fits into a line stands in one; else each key or item has its own, as formatters write it.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

from msgspec import Struct

_WIDTH = 62  # characters: the column for code is no wider
_BARE_KEY = re.compile(r"[A-Za-z_$][\w$]*\Z", re.ASCII)


class Code(str):
    """Part of a program, to be written as it is."""

    __slots__ = ()


class Notation(Struct, frozen=True):
    """How a language writes values."""

    true: str = "true"
    false: str = "false"
    null: str = "null"
    has_bare_keys: bool = False
    padding: str = ""  # within the braces of an object in one line
    indent: int = 2
    has_last_comma: bool = False

    def write(self, value: Any, column: int = 0, used: int = 0) -> str:  # noqa: ANN401 - JSON
        """The value, its further lines indented by ``column``; ``used`` characters precede it."""
        flat = self._write_flat(value)
        fits = column + used + len(flat) <= _WIDTH and "\n" not in flat
        if fits or not isinstance(value, dict | list):
            return flat
        inner = column + self.indent
        lines = f",\n{' ' * inner}".join(self._write_items(value, inner))
        begin, end = "{}" if isinstance(value, dict) else "[]"
        comma = "," if self.has_last_comma else ""
        return f"{begin}\n{' ' * inner}{lines}{comma}\n{' ' * column}{end}"

    def _write_items(self, value: Any, column: int) -> Iterator[str]:  # noqa: ANN401 - JSON
        if isinstance(value, list):
            yield from (self.write(one, column) for one in value)
            return
        for key, one in value.items():
            start = f"{self._write_key(key)}: "
            yield start + self.write(one, column, len(start))

    def _write_flat(self, value: Any) -> str:  # noqa: ANN401 - JSON
        match value:
            case Code():
                return value
            case dict() if value:
                pairs = (f"{self._write_key(k)}: {self._write_flat(v)}" for k, v in value.items())
                return f"{{{self.padding}{', '.join(pairs)}{self.padding}}}"
            case list():
                return f"[{', '.join(self._write_flat(one) for one in value)}]"
            case bool():
                return self.true if value else self.false
            case None:
                return self.null
        return json.dumps(value, ensure_ascii=False)

    def _write_key(self, key: str) -> str:
        if self.has_bare_keys and _BARE_KEY.match(key):
            return key
        return json.dumps(key, ensure_ascii=False)


JSON = Notation()
PYTHON = Notation(true="True", false="False", null="None", indent=4, has_last_comma=True)
JAVASCRIPT = Notation(has_bare_keys=True, padding=" ", has_last_comma=True)


def write_example(value: Any) -> str:  # noqa: ANN401 - JSON
    """An example as text: text as it is, anything else as JSON."""
    return value.rstrip("\n") if isinstance(value, str) else JSON.write(value)
