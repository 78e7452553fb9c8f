"""Reads plants from CSV, or from NDJSON with a NewPlant per line, by the interface's rules.

The header of a CSV file names the columns, in any order.

Invariant: each line gives its plant, or the error that the interface would return.
"""

import csv
import re
from collections.abc import Iterator, Sequence
from itertools import chain

from plantstore.core.cells import DELIMITERS, read_fields
from plantstore.core.decoding import decode_new_plant, parse_json, to_new_plant
from plantstore.core.errors import RequestError, SetupError
from plantstore.core.model import OPTIONAL_FIELDS, PLANT_FIELDS, NewPlant
from plantstore.features.transfer.source import Source

Line = tuple[int, NewPlant | RequestError]  # number, and plant or error

_NOT_READABLE = 40001
_SHOWN = 200  # characters of a header
_BREAK = re.compile(r"\s*[\r\n]\s*")
_NOT_UTF_8 = re.compile("[\udc80-\udcff]")  # bytes that are not UTF-8, decoded with surrogateescape


def read_plants(source: Source) -> Iterator[Line]:
    """The plants of a file; a plant without an id gets the id 0.

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
        for number, line in enumerate(chain(head, lines), 1):
            if line.strip():
                yield number, _read_line(line, new_id=source.new_ids)
    elif first:
        yield from _read_csv(chain(head, lines), head[-1], source)


def _read_line(line: str, *, new_id: bool) -> NewPlant | RequestError:
    body = line.encode("utf-8", "surrogateescape")
    try:
        if not new_id:
            return decode_new_plant(body)
        fields = parse_json(body)
        return to_new_plant(fields | {"id": 0} if isinstance(fields, dict) else fields)
    except RequestError as error:
        error.details["cells"] = [line.rstrip("\r\n")]
        return error


def _read_csv(lines: Iterator[str], first: str, source: Source) -> Iterator[Line]:
    """The plants of a file, each with the number of its first line.

    ``first`` is the first line that is not blank.

    :raises SetupError: the header does not name the columns.
    """
    raw: list[str] = []  # the lines of a record

    def record() -> Iterator[str]:
        for line in lines:
            raw.append(line)
            yield line

    reader = csv.reader(record(), delimiter=max(DELIMITERS, key=first.count), strict=True)
    while True:
        number = reader.line_num + 1
        raw.clear()
        try:
            cells = next(reader, None)
        except csv.Error:
            reason = "a quoted cell does not end at its closing quote"
            whole = ["".join(raw).rstrip("\r\n")]
            yield number, RequestError(_NOT_READABLE, reason=reason, cells=whole)
            continue
        if cells is None:
            return
        if not any(map(str.strip, cells)) or (not source.fields and "".join(cells) == "sep="):
            continue  # the latter is a spreadsheet's hint
        if source.fields:
            yield number, _read_record(source, cells, "".join(raw))
        else:
            source.header = [cell.strip() for cell in cells]
            source.fields = _name_columns(source)


def _name_columns(source: Source) -> Sequence[str]:
    """The columns of a header: fields, or other names.

    :raises SetupError: the plants' fields cannot be matched to columns.
    """
    named, headings = source.columns, [cell.lower() for cell in source.header]
    header = "".join(c if c.isprintable() else "?" for c in ", ".join(source.header)[:_SHOWN])
    shown = f"{source.name} has the columns: {header}"
    if missing := [name for name in named if name not in headings]:
        raise SetupError(f"{shown}; none is named {missing[0]!r}")
    # A column with a field's name is ignored if --columns names another for the field.
    columns = [named.get(name) or ("" if name in named.values() else name) for name in headings]
    if source.new_ids:
        columns = ["" if column == "id" else column for column in columns]
    needed = set(PLANT_FIELDS) - set(OPTIONAL_FIELDS) - ({"id"} if source.new_ids else set())
    if missing := [name for name in PLANT_FIELDS if name in needed and name not in columns]:
        advice = f"name it with --columns 'HEADING={missing[-1]}'"
        if missing == ["id"]:
            advice = "give --assign-ids for new ids, or name it with --columns 'HEADING=id'"
        raise SetupError(f"{shown}; none is the {missing[-1]}: {advice}")
    if twice := [field for field in PLANT_FIELDS if columns.count(field) > 1]:
        raise SetupError(f"{source.name} has two columns named {twice[0]}")
    return columns


def _read_record(source: Source, cells: Sequence[str], raw: str) -> NewPlant | RequestError:
    """The plant of a record. White space around cells is removed, unless it is in quotes."""
    quoted = ((cell, '"{}"'.format(cell.replace('"', '""'))) for cell in cells)
    texts = [_BREAK.sub(" ", cell if it in raw else cell.strip()) for cell, it in quoted]
    new_id = {"id": 0} if source.new_ids else {}
    try:
        return to_new_plant(read_fields(source.fields, texts) | new_id)
    except RequestError as error:
        if any(map(_NOT_UTF_8.search, texts)):
            reason = "the line is not in UTF-8: name its encoding, such as --encoding windows-1252"
            return RequestError(_NOT_READABLE, reason=reason, cells=texts)
        error.details["cells"] = texts
        return error
