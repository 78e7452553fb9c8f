"""Writes JSON values in JSON, JavaScript and Python.

A value that fits gets one line; otherwise each key or item gets a line, as in formatters.
"""

import json
from collections.abc import Mapping
from typing import Any

_WIDTH = 62  # characters: the width of the code column
PYTHON = {"true": "True", "false": "False", "null": "None"}


def write_value(
    value: Any,  # noqa: ANN401 - JSON
    column: int = 0,
    used: int = 0,
    words: Mapping[str, str] = {},
) -> str:
    """Write a value, with further lines indented by ``column``; ``used`` characters precede it.

    ``words`` are the literals that a language writes differently from JSON.
    """
    flat = json.dumps(value, ensure_ascii=False)
    if not value or not isinstance(value, dict | list):
        return words.get(flat, flat)
    if column + used + len(flat) <= _WIDTH and not any(word in flat for word in words):
        return flat
    inner, braces = column + 2, "{}" if isinstance(value, dict) else "[]"
    items = value.items() if isinstance(value, dict) else (("", item) for item in value)
    starts = (
        (json.dumps(key, ensure_ascii=False) + ": " if key else "", item) for key, item in items
    )
    lines = [start + write_value(item, inner, len(start), words) for start, item in starts]
    begin = f"\n{' ' * inner}"
    return f"{begin}{f',{begin}'.join(lines)}\n{' ' * column}".join(braces)


def write_example(value: Any) -> str:  # noqa: ANN401 - JSON
    """An example as text: strings unquoted, anything else as JSON."""
    return value.rstrip("\n") if isinstance(value, str) else write_value(value)
