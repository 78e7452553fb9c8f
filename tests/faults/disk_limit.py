"""Makes the folder ``$SMALL_DISK`` a disk of 32 MiB for a process that imports this.

A write without enough room fails with ENOSPC, or is done in part, as on a disk. SQLite calls
the system through a table of functions, which lets tests replace them; the program itself makes two
calls, which are replaced by name.
"""

import ctypes
import os
import tempfile
from contextlib import suppress
from errno import ENOSPC
from pathlib import Path
from typing import IO

import apsw

VARIABLE = "SMALL_DISK"
PAGE = 4096
_BYTES = 32 * 2**20
_PROBE_BYTES = 2**20  # what `check` writes to a temporary file
_PWRITE = ctypes.CFUNCTYPE(
    *(ctypes.c_ssize_t, ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int64),
    use_errno=True,
)


def count_free(folder: Path) -> int:
    """How many bytes are free; files take whole pages."""
    free = _BYTES
    for file in folder.rglob("*"):
        with suppress(FileNotFoundError):  # removed meanwhile
            free -= _in_pages(file.stat().st_size) if file.is_file() else 0
    return max(0, free)


def _in_pages(size: int) -> int:
    return -(-size // PAGE) * PAGE


def limit_disk(folder: Path) -> "ctypes._CFunctionType":
    """Limit this process's writes below the folder; return the ``pwrite64`` for SQLite."""
    pwrite = _PWRITE(("pwrite64", ctypes.CDLL(None, use_errno=True)))
    statvfs, temporary_file = os.statvfs, tempfile.TemporaryFile

    def limited_pwrite(file: int, data: int, size: int, start: int) -> int:
        room = size
        if Path(f"/proc/self/fd/{file}").readlink().is_relative_to(folder):
            room = _in_pages(os.fstat(file).st_size) + count_free(folder) - start
        if room <= 0:
            ctypes.set_errno(ENOSPC)
            return -1
        written: int = pwrite(file, data, min(size, room), start)
        return written

    def limited_statvfs(path: Path) -> os.statvfs_result:
        free = count_free(folder) // PAGE if path.is_relative_to(folder) else 2**20
        return os.statvfs_result((PAGE, PAGE, 2**20, free, free, *statvfs(path)[5:]))

    def limited_file(dir: Path) -> IO[bytes]:  # noqa: A002 - Python's name
        is_full = dir.is_relative_to(folder) and count_free(folder) < _PROBE_BYTES
        return Path("/dev/full").open("wb") if is_full else temporary_file(dir=dir)

    os.statvfs, tempfile.TemporaryFile = limited_statvfs, limited_file  # type: ignore[assignment]
    return _PWRITE(limited_pwrite)


if VARIABLE in os.environ:
    limited = limit_disk(Path(os.environ[VARIABLE]))  # as long as the process lives
    address = ctypes.cast(limited, ctypes.c_void_p).value or 0
    apsw.VFS("limited", base="unix").xSetSystemCall("pwrite64", address)
