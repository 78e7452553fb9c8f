"""The lines of a file or of stdin, decompressed by their content.

Invariant: of the file, no more than a line and the decompressor's buffers are in memory.
"""

import codecs
import gzip
import io
import os
import stat
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

from plantstore.core.decoding import MAX_LINE
from plantstore.core.errors import SetupError

try:  # from Python 3.14 on its own, before that where backports.zstd is installed
    _zstd: Any = import_module(
        "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"
    )
except ImportError:
    _zstd = None

_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
_NOT_COMPRESSED = (EOFError, zlib.error, gzip.BadGzipFile, *([_zstd.ZstdError] if _zstd else []))
_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


class Source:
    """A file, whose ``name`` is for messages; its ``size`` in bytes is None if it is not known."""

    def __init__(self, name: str, file: io.FileIO, size: int | None) -> None:
        self.name = name
        self.size = size
        self._file = file

    @property
    def position(self) -> int:
        """Bytes of the file that were read; 0 where its size is not known."""
        return 0 if self.size is None else self._file.tell()

    def lines(self) -> Iterator[str]:
        """The lines with their ends. A byte that is not UTF-8 becomes a lone surrogate.

        :raises SetupError: the file cannot be decompressed, or has no lines.
        """
        with self._explained(), io.BufferedReader(self._file) as file:
            raw = self._decompress(file)
            encoding, errors = "utf-8-sig", "surrogateescape"
            if raw.peek(2).startswith(_UTF_16):
                encoding, errors = "utf-16", "strict"
            text = io.TextIOWrapper(raw, encoding, errors, newline="")
            number = 0
            while line := text.readline(MAX_LINE):
                number += 1
                if len(line) == MAX_LINE:
                    raise SetupError(f"line {number} of {self.name} is over {MAX_LINE} characters")
                yield line

    def _decompress(self, file: "io.BufferedReader[Any]") -> "io.BufferedReader[Any]":
        magic = file.peek(4)
        if magic.startswith(_GZIP):
            return io.BufferedReader(gzip.GzipFile(fileobj=file))
        if not magic.startswith(_ZSTD):
            return file
        if _zstd is None:
            raise SetupError(
                f"{self.name} is compressed with zstd: decompress it with `zstd -d`, or install "
                "plantstore[zstd]"
            )
        return io.BufferedReader(_zstd.ZstdFile(file))

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except _NOT_COMPRESSED as error:
            raise SetupError(f"{self.name} cannot be decompressed: {error}") from error
        except UnicodeError as error:
            raise SetupError(f"{self.name} is neither in UTF-8 nor in UTF-16") from error


@contextmanager
def open_source(path: str) -> Iterator[Source]:
    """A file to read, or stdin for ``-``."""
    if path == "-":
        yield Source("stdin", io.FileIO(0, closefd=False), None)
        return
    with Path(path).open("rb", buffering=0) as file:
        found = os.fstat(file.fileno())
        yield Source(path, file, found.st_size if stat.S_ISREG(found.st_mode) else None)
