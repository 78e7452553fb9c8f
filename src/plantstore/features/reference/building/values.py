"""Values of JSON, as they are written in JSON, Python and JavaScript.

What fits into a line stands in one; else each key or item has its own, as formatters write it.
"""

import json
import re
from collections.abc import Mapping
from typing import Any

from msgspec import Struct

_WIDTH = 62  # characters: the column for code is no wider
_ANY_WIDTH = -10_000  # a column from which everything fits
_BARE_KEY = re.compile(r"[A-Za-z_$][\w$]*\Z", re.ASCII)


class Code(str):
    """Part of a program, to be written as it is."""

    __slots__ = ()


class Notation(Struct, frozen=True):
    """How a language writes values; ``words`` are those that it writes other than JSON."""

    words: Mapping[str, str] = {}
    has_bare_keys: bool = False
    padding: str = ""  # within the braces of an object in one line
    indent: int = 2
    last_comma: str = ""

    def write(self, value: Any, column: int = 0, used: int = 0) -> str:  # noqa: ANN401 - JSON
        """The value, its further lines indented by ``column``; ``used`` characters precede it."""
        if isinstance(value, Code):
            return value
        if not value or not isinstance(value, dict | list):
            text = json.dumps(value, ensure_ascii=False)
            return self.words.get(text, text)
        items, braces, padding = [("", one) for one in value], "[]", ""
        if isinstance(value, dict):
            items = [(f"{self._write_key(key)}: ", one) for key, one in value.items()]
            braces, padding = "{}", self.padding
        inside = ", ".join(start + self.write(one, _ANY_WIDTH) for start, one in items)
        flat = f"{padding}{inside}{padding}".join(braces)
        if column + used + len(flat) <= _WIDTH and "\n" not in flat:
            return flat
        inner = column + self.indent
        lines = [start + self.write(one, inner, len(start)) for start, one in items]
        begin, between = f"\n{' ' * inner}", f",\n{' ' * inner}"
        return f"{begin}{between.join(lines)}{self.last_comma}\n{' ' * column}".join(braces)

    def _write_key(self, key: str) -> str:
        is_bare = self.has_bare_keys and _BARE_KEY.match(key)
        return key if is_bare else json.dumps(key, ensure_ascii=False)


JSON = Notation()
PYTHON = Notation({"true": "True", "false": "False", "null": "None"}, indent=4, last_comma=",")
JAVASCRIPT = Notation(has_bare_keys=True, padding=" ", last_comma=",")


def write_example(value: Any) -> str:  # noqa: ANN401 - JSON
    """An example as text: text as it is, anything else as JSON."""
    return value.rstrip("\n") if isinstance(value, str) else JSON.write(value)
