"""From lines to plants: CSV, or NDJSON with a NewPlant a line, by the interface's own rules.

The header of a CSV file names the columns, in any order.

Invariant: each line of a plant gives the plant, or the error that the interface would answer.
"""

import csv
import re
from collections.abc import Iterator, Sequence
from itertools import chain

from plantstore.core.cells import read_fields
from plantstore.core.decoding import Line, decode_lines, to_new_plant
from plantstore.core.errors import RequestError, SetupError
from plantstore.core.model import OPTIONAL_FIELDS, PLANT_FIELDS, NewPlant
from plantstore.features.transfer.source import Source

_NOT_READABLE = 40001
_NOT_UTF_8 = re.compile("[\udc80-\udcff]")  # what a source makes of such bytes


def read_plants(source: Source, *, with_ids: bool) -> Iterator[Line]:
    """The plants of a file; without ids, each has the id 0, whatever the file says.

    :raises SetupError: the file as a whole cannot be read.
    """
    lines = source.lines()
    head: list[str] = []
    for line in lines:
        head.append(line)
        if line.strip():
            break
    first = head[-1].lstrip()[:1] if head else ""
    if first == "[":
        raise SetupError(f"{source.name} is a JSON array: write a plant a line; `jq -c .[]` does")
    if first == "{":
        bodies = (line.encode("utf-8", "surrogateescape") for line in chain(head, lines))
        yield from decode_lines(bodies, with_ids=with_ids)
    elif first:
        yield from _read_csv(chain(head, lines), head[-1], source.name, with_ids=with_ids)


def _read_csv(lines: Iterator[str], first: str, name: str, *, with_ids: bool) -> Iterator[Line]:
    """The plants of the lines of the file with this name, each with the line it begins in.

    ``first`` is the first line that is not blank.

    :raises SetupError: the header does not name the columns.
    """
    reader = csv.reader(lines, delimiter=max(",;\t", key=first.count), strict=True)
    columns: Sequence[str] = ()
    while True:
        number = reader.line_num + 1
        try:
            cells = next(reader, None)
        except csv.Error:
            yield number, _refuse(_NOT_READABLE, "a quoted cell does not end at its closing quote")
            continue
        if cells is None:
            return
        if not any(map(str.strip, cells)) or (not columns and "".join(cells) == "sep="):
            continue  # the latter is a spreadsheet's hint
        if columns:
            yield number, _read_record(columns, cells, with_id=with_ids)
        else:
            columns = [cell.strip().lower() for cell in cells]
            _check_header(columns, name, with_ids=with_ids)


def _check_header(columns: Sequence[str], name: str, *, with_ids: bool) -> None:
    wanted = [field for field in PLANT_FIELDS if with_ids or field != "id"]
    if not set(wanted).difference(OPTIONAL_FIELDS).issubset(columns):
        raise SetupError(f"the first line of {name} must name the columns: {','.join(wanted)}")
    if twice := [field for field in wanted if columns.count(field) > 1]:
        raise SetupError(f"{name} has two columns named {twice[0]}")


def _read_record(
    columns: Sequence[str], cells: Sequence[str], *, with_id: bool
) -> NewPlant | RequestError:
    try:
        if with_id:
            return to_new_plant(read_fields(columns, cells))
        others = ["" if column == "id" else column for column in columns]
        return to_new_plant(read_fields(others, cells) | {"id": 0})
    except RequestError as error:
        if any(map(_NOT_UTF_8.search, cells)):
            return _refuse(_NOT_READABLE, "the line is not in UTF-8")
        return error


def _refuse(number: int, reason: str) -> RequestError:
    return RequestError(number, reason=reason)
