"""Reads the lines of a file or stdin, and decompresses them.

Invariant: only a line and the decompressor's buffers are in memory.
"""

import codecs
import gzip
import io
import os
import stat
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from plantstore.core.decoding import MAX_LINE
from plantstore.core.errors import SetupError, UsageError

_WORKBOOKS = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")  # .xlsx and .ods, which are ZIP files; .xls
_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


class Source:
    """A file; ``name`` is for messages; ``size`` in bytes is None if unknown.

    ``encoding`` is None to detect it; ``columns`` maps names in the header to fields of plants;
    with ``new_ids`` the file's own ids are ignored; ``count`` is the number of lines read so far.
    """

    def __init__(
        self,
        name: str,
        file: io.FileIO,
        *,
        columns: Mapping[str, str] | None = None,
        encoding: str | None = None,
        new_ids: bool = False,
    ) -> None:
        self.name = name
        status = os.fstat(file.fileno())
        self.size = status.st_size if stat.S_ISREG(status.st_mode) else None
        self.encoding = encoding
        self.columns = columns or {}
        self.new_ids = new_ids
        self.count = 0
        # Set once the header of a CSV file was read: the fields, or other names, of its columns.
        self.header: Sequence[str] = ()
        self.fields: Sequence[str] = ()
        self._file = file

    @property
    def position(self) -> int:
        """The number of bytes read; 0 if the size is unknown."""
        return 0 if self.size is None else self._file.tell()

    def lines(self) -> Iterator[str]:
        """The lines with their line breaks. A byte that is not UTF-8 becomes a lone surrogate.

        :raises SetupError: the file cannot be decompressed, or has no lines.
        """
        with io.BufferedReader(self._file) as file:
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
            while line := text.readline(MAX_LINE):
                self.count += 1
                if len(line) == MAX_LINE:
                    where = f"line {self.count} of {self.name}"
                    raise SetupError(f"{where} is over {MAX_LINE} characters")
                yield line


@contextmanager
def open_source(path: str, *, allow_empty: bool = False, **form: Any) -> Iterator[Source]:  # noqa: ANN401 - see Source
    """Open a file for reading, or stdin for ``-``.

    :raises SetupError: there is no such file, or it is empty.
    """
    with io.FileIO(0, closefd=False) if path == "-" else Path(path).open("rb", buffering=0) as file:
        source = Source("stdin" if path == "-" else path, file, **form)
        yield source
    if not (source.count or allow_empty):
        raise SetupError(f"{source.name} is empty: give --allow-empty if that is right")
