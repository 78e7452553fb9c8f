"""Cells of a CSV file, as the page writes them too: no spreadsheet runs one as a formula.

Invariant: reading removes exactly what writing added.
"""

import re
from collections.abc import Iterable, Sequence

from msgspec.structs import astuple

from plantstore.core.errors import RequestError
from plantstore.core.model import INT64_MAX, PLANT_FIELDS, NewPlant

DELIMITERS = ",;\t"  # in files that are read; the header's most frequent one is the file's
HEADER = ",".join(PLANT_FIELDS) + "\r\n"
# A cell that would be a formula gets an apostrophe before it; so does a cell that already looks
# like that.
_FORMULA = re.compile(r"'*[=+\-@\t\r]")
_INTEGER = re.compile("-?(0|[1-9][0-9]*)")
_INT64_DIGITS = 20
_SPECIAL = re.compile('[",;\t\r\n]')
_EDGES = re.compile("[\\s\ufeff]")  # the page's idea of white space


def restore(cell: str) -> str:
    """The text of a cell."""
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell


def read_fields(columns: Sequence[str], cells: Sequence[str]) -> dict[str, object]:
    """The non-empty cells of a line, by the columns that have a name; the id is a number.

    :raises RequestError: there are too many cells, or the id is not a number.
    """
    if any(cells[len(columns) :]):
        raise RequestError(40002, reason="the line has too many columns")
    named = zip(columns, cells, strict=False)
    fields: dict[str, object] = {name: restore(cell) for name, cell in named if name and cell}
    if "id" in fields:
        text = str(fields["id"]).strip()
        if not _INTEGER.fullmatch(text):
            raise RequestError(40002, reason="id must be a whole number, such as 7")
        fields["id"] = int(text) if len(text) <= _INT64_DIGITS else INT64_MAX + 1
    return fields


def write_lines(plants: Iterable[NewPlant]) -> str:
    return "".join(write_line(map(defuse, astuple(plant))) for plant in plants)


def write_line(cells: Iterable[str]) -> str:
    """A line, with quotes around the cells that need them."""
    return ",".join(map(_quote, cells)) + "\r\n"


def defuse(value: int | str | None) -> str:
    """The cell of a value."""
    if not isinstance(value, str):
        return "" if value is None else str(value)
    return f"'{value}" if _FORMULA.match(value) else value


def _quote(cell: str) -> str:
    if _SPECIAL.search(cell) or _EDGES.match(cell) or _EDGES.match(cell, len(cell) - 1):
        return '"' + cell.replace('"', '""') + '"'
    return cell
