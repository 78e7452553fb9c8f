"""Reads a file or stdin: its lines, decompressed, and plants from CSV or NDJSON.

NDJSON has a NewPlant per line; the header of CSV names the columns, in any order.

Invariants: only a line and the decompressor's buffers are in memory. By the interface's rules, each
line gives its plant, or the error that the interface would return.
"""

import codecs
import csv
import gzip
import io
import os
import re
import stat
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Any

from msgspec import Struct

from plantstore.core.cells import DELIMITERS, read_fields
from plantstore.core.decoding import decode_new_plant, parse_json, to_new_plant
from plantstore.core.errors import RequestError, SetupError, UsageError
from plantstore.core.model import OPTIONAL_FIELDS, PLANT_FIELDS, NewPlant

_WORKBOOKS = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")  # .xlsx and .ods, which are ZIP files; .xls
_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_NOT_READABLE = 40001
_MAX_LINE = 64 * 1024  # characters
_SHOWN = 200  # characters of a header
_BREAK = re.compile(r"\s*[\r\n]\s*")
_NOT_UTF_8 = re.compile("[\udc80-\udcff]")  # bytes that are not UTF-8, decoded with surrogateescape

Line = tuple[int, NewPlant | RequestError]  # number, and plant or error


class Source(Struct):
    """A file; ``name`` is for messages; ``size`` in bytes is None if unknown.

    ``encoding`` is None to detect it; ``columns`` maps names in the header to fields of plants;
    with ``new_ids`` the file's own ids are ignored; ``count`` is the number of lines read so far.
    """

    name: str
    file: io.FileIO
    size: int | None
    columns: Mapping[str, str] = {}
    encoding: str | None = None
    new_ids: bool = False
    count: int = 0
    # Set once the header of a CSV file was read: the fields, or other names, of its columns.
    header: Sequence[str] = ()
    fields: Sequence[str] = ()

    @property
    def position(self) -> int:
        """The number of bytes read: all once the file is closed; 0 if the size is unknown."""
        return 0 if self.size is None else self.size if self.file.closed else self.file.tell()

    def lines(self) -> Iterator[str]:
        """The lines with their line breaks. A byte that is not UTF-8 becomes a lone surrogate.

        :raises SetupError: the file cannot be decompressed, or has no lines.
        """
        with io.BufferedReader(self.file) as file:
            is_compressed = file.peek(2).startswith(_GZIP)
            raw = io.BufferedReader(gzip.GzipFile(fileobj=file)) if is_compressed else file
            try:
                yield from self._decode(raw)
            except (EOFError, zlib.error, gzip.BadGzipFile) as error:
                raise SetupError(f"{self.name} cannot be decompressed: {error}") from error
            except LookupError as error:
                reason = f"{self.encoding!r} is not an encoding of text, such as windows-1252"
                raise UsageError(reason) from error
            except UnicodeError as error:
                known = "neither in UTF-8 nor in UTF-16"
                known = f"not in {self.encoding}" if self.encoding else known
                raise SetupError(f"{self.name} is {known}") from error

    def _decode(self, raw: "io.BufferedReader[Any]") -> Iterator[str]:
        start = raw.peek(4)
        if start.startswith(_WORKBOOKS):
            raise SetupError(
                f"{self.name} is a workbook or an archive: open it with a spreadsheet program, "
                "save it as CSV in UTF-8, and import that file"
            )
        if start.startswith(_ZSTD):
            raise SetupError(f"{self.name} is compressed with zstd: decompress it with `zstd -d`")
        encoding, errors = self.encoding or "utf-8-sig", "strict"
        if start.startswith(_UTF_16):
            encoding = "utf-16"
        elif self.encoding is None:
            errors = "surrogateescape"
        with io.TextIOWrapper(raw, encoding, errors, newline="") as text:
            while line := text.readline(_MAX_LINE):
                self.count += 1
                if len(line) == _MAX_LINE:
                    where = f"line {self.count} of {self.name}"
                    raise SetupError(f"{where} is over {_MAX_LINE} characters")
                yield line


@contextmanager
def open_source(path: str, *, allow_empty: bool = False, **form: Any) -> Iterator[Source]:  # noqa: ANN401 - see Source
    """Open a file for reading, or stdin for ``-``.

    :raises SetupError: there is no such file, or it is empty without ``allow_empty``.
    """
    with io.FileIO(0, closefd=False) if path == "-" else Path(path).open("rb", buffering=0) as file:
        status = os.fstat(file.fileno())
        size = status.st_size if stat.S_ISREG(status.st_mode) else None
        source = Source("stdin" if path == "-" else path, file, size, **form)
        yield source
    if not (source.count or allow_empty):
        raise SetupError(f"{source.name} is empty: give --allow-empty if that is right")


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
