"""Cells of a CSV file, as the page has them: no spreadsheet takes one for a formula.

Invariant: reading takes off exactly what writing put on.
"""

import re
from collections.abc import Iterable

from msgspec.structs import astuple

from plantstore.core.model import PLANT_FIELDS, NewPlant

HEADER = ",".join(PLANT_FIELDS) + "\r\n"
# A cell that would be a formula is written with an apostrophe before it, as is one that looks like
# such a cell.
_FORMULA = re.compile(r"'*[=+\-@\t\r]")
_QUOTED = re.compile('[",;\t\r\n]|^[\\s\ufeff]|[\\s\ufeff]$')  # what is white space to the page


def restore(cell: str) -> str:
    """The text of a cell."""
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell


def write_lines(plants: Iterable[NewPlant]) -> str:
    """The lines of plants."""
    return "".join(",".join(map(_to_cell, astuple(plant))) + "\r\n" for plant in plants)


def _to_cell(value: int | str | None) -> str:
    if not isinstance(value, str):
        return "" if value is None else str(value)
    cell = f"'{value}" if _FORMULA.match(value) else value
    return '"' + cell.replace('"', '""') + '"' if _QUOTED.search(cell) else cell
