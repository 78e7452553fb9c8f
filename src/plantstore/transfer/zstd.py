"""Zstandard: from Python 3.14 on its own, before that ``backports.zstd``, where it is installed."""

import io
import sys
from importlib import import_module
from typing import Any

from plantstore.errors import SetupError

ERRORS: tuple[type[Exception], ...] = ()  # of files that cannot be decompressed
try:
    _zstd: Any = import_module(
        "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"
    )
    ERRORS = (_zstd.ZstdError,)
except ImportError:
    _zstd = None


def open_zstd(name: str, file: "io.BufferedReader[Any]") -> "io.BufferedReader[Any]":
    """The decompressed file.

    :raises SetupError: nothing is installed that can read it.
    """
    if _zstd is None:
        raise SetupError(
            f"{name} is compressed with zstd: decompress it with `zstd -d`, or install "
            "plantstore[zstd]"
        )
    return io.BufferedReader(_zstd.ZstdFile(file))
