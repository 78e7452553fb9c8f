"""Reads changes from CSV, as lists have it and as spreadsheets save it.

The first line names the columns: the keys of a change, in any order; other columns are ignored. A
quoted cell may contain line breaks: a record may have several lines, and its result names the
first.

Invariant: text in a cell is never read as another change.
"""

import csv
import json
import re

from plantstore.core.cells import DELIMITERS, read_fields
from plantstore.core.errors import RequestError
from plantstore.core.model import Caller
from plantstore.core.operations import Write
from plantstore.features.changes.lines import KEYS, MAX_LINE, Lines

_TOO_LONG = b"-" * (MAX_LINE + 1)
_MAX_COLUMNS = 1000
# Cells with their delimiters, then a quoted cell without an end.
_OPEN = {
    it: re.compile(
        rb'(?:(?:"(?:[^"]|"")*+"[^D]*+|[^"D][^D]*+|)D)*+"(?:[^"]|"")*+'.replace(b"D", it.encode())
    )
    for it in DELIMITERS
}


class CsvLines(Lines):
    """Splits a CSV body into records, and reads each like a line of JSON."""

    def __init__(self, caller: Caller) -> None:
        super().__init__(caller)
        self._record: list[bytes] = []  # lines of a record whose quotes are open
        self._size = 0
        self._columns: list[str] = []
        self._delimiter = ""
        self._refusal = ""  # of the columns, and so of every line

    def feed(self, part: bytes) -> list[bytes]:
        """The records that this part completes, and an empty line for each line break in them."""
        return [record for line in super().feed(part) for record in self._add(line)]

    def end(self) -> list[bytes]:
        """The last record, which may have open quotes."""
        return self._add(*super().end()) or [b"\n".join(self._record)]

    def _add(self, line: bytes) -> list[bytes]:
        """Add a line to the record; returns the record and its empty lines once it is complete."""
        self._size += len(line) + 1
        if self._size > MAX_LINE:  # it is unknown whether later quotes are open
            lines, self._record = [b""] * len(self._record), []
            return [*lines, line and _TOO_LONG]
        is_open = self._is_open(line)
        self._record.append(line)
        if is_open:
            return []
        lines, self._record, self._size = self._record, [], 0
        return [b"\n".join(lines), *([b""] * (len(lines) - 1))]

    def _is_open(self, line: bytes) -> bool:
        """Whether a cell's quotes are open at the end of this line."""
        if not self._delimiter and line.strip():
            self._delimiter = max(DELIMITERS, key=line.decode("latin-1").count)
        if b'"' not in line:
            return bool(self._record)
        opening = b'"' if self._record else b""
        return _OPEN[self._delimiter].fullmatch(opening + line) is not None

    def _read(self, line: bytes) -> Write | None:
        """See ``Lines.read``: skips the line with the columns, and records of empty cells."""
        if len(line) > MAX_LINE:
            raise RequestError(41301)
        try:
            text = line.decode("utf-8-sig")
            (cells,) = csv.reader([text], delimiter=self._delimiter, strict=True)
            if not any(cells):
                return None
            if not self._columns:
                names = [cell.strip().lower() for cell in cells[:_MAX_COLUMNS]]
                self._columns = [name if name in KEYS else "" for name in names]
                twice = [name for name in sorted(KEYS) if self._columns.count(name) > 1]
                if twice:  # no line tells which of them is meant
                    self._refusal = f"two columns are named {twice[0]}"
                elif "id" not in self._columns:
                    self._refusal = "the first line must name the columns, including id"
                else:
                    return None
            if self._refusal:
                raise RequestError(40002, reason=self._refusal)
            fields = read_fields(self._columns, cells)
        except (csv.Error, ValueError):
            raise RequestError(40002, reason="it is not CSV in UTF-8") from None
        return super()._read(json.dumps(fields).encode())
