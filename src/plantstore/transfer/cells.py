"""Cells of a CSV file, as the page has them: no spreadsheet takes one for a formula.

Invariant: reading takes off exactly what writing put on.
"""

import re
from collections.abc import Iterable

from plantstore.database import Row

COLUMNS = ("id", "name", "tag")
HEADER = ",".join(COLUMNS) + "\r\n"
# A cell that would be a formula is written with an apostrophe before it, as is one that looks like
# such a cell.
_FORMULA = re.compile(r"'*[=+\-@\t\r]")
_QUOTED = re.compile('[",;\t\r\n]|^[\\s\ufeff]|[\\s\ufeff]$')  # what is white space to the page


def restore(cell: str) -> str:
    """The text of a cell."""
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell


def write_lines(plants: Iterable[Row]) -> str:
    """The lines of plants, which are rows of id, name and tag."""
    return "".join(
        f"{plant_id},{_quote(_defuse(name))},{_quote(_defuse(tag or ''))}\r\n"
        for plant_id, name, tag in plants
    )


def _defuse(text: str) -> str:
    return f"'{text}" if _FORMULA.match(text) else text


def _quote(cell: str) -> str:
    return '"' + cell.replace('"', '""') + '"' if _QUOTED.search(cell) else cell
