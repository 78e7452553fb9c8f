"""Runs the plantstore command line on a disk whose fsync fails while a file exists.

``PLANTSTORE_TEST_FAULT=/tmp/fault python -m tests.faulty_vfs serve``: fsyncs work until
``/tmp/fault`` exists. Words in it choose the fault: ``once`` fails only one fsync, as on Linux,
``checkpoint`` only fsyncs of the database file itself, and ``write`` fails writes instead. A
process that syncs anything after a failure makes ``/tmp/fault.synced-again``; each failed write
appends a byte to ``/tmp/fault.writes``.
"""

import os
from pathlib import Path

import apsw

from plantstore.program import main

VARIABLE = "PLANTSTORE_TEST_FAULT"
DEFAULT_VFS = "unix"


class Disk:
    """The state that all files of a process share: the fault, and whether it has happened."""

    def __init__(self, fault: Path) -> None:
        self._fault = fault
        self._has_failed = False

    def write(self) -> None:
        if self._fault.exists() and "write" in self._fault.read_text(encoding="utf-8"):
            with self._fault.with_name(f"{self._fault.name}.writes").open("ab") as failed:
                failed.write(b".")
            raise _make_error(apsw.SQLITE_IOERR_WRITE)

    def sync(self, *, is_database: bool) -> None:
        if self._has_failed:
            self._fault.with_name(f"{self._fault.name}.synced-again").touch()
        if not self._fault.exists():
            return
        words = self._fault.read_text(encoding="utf-8").split()
        if "write" in words or ("checkpoint" in words and not is_database):
            return
        if "once" in words:
            self._fault.unlink()
        self._has_failed = True
        raise _make_error(apsw.SQLITE_IOERR_FSYNC)


def _make_error(code: int) -> Exception:
    error = apsw.exception_for(code)
    error.args = ("the disk is broken for a test",)
    return error


class FaultyFile(apsw.VFSFile):
    """A file of SQLite's own disk layer, with a faulty fsync."""

    def __init__(self, name: str | apsw.URIFilename | None, flags: list[int], disk: Disk) -> None:
        super().__init__(DEFAULT_VFS, name, flags)
        self._is_database = bool(flags[0] & apsw.SQLITE_OPEN_MAIN_DB)
        self._disk = disk

    def xSync(self, flags: int) -> None:  # noqa: N802 - SQLite's name
        self._disk.sync(is_database=self._is_database)
        super().xSync(flags)

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802 - SQLite's name
        self._disk.write()
        super().xWrite(data, offset)


class FaultyVFS(apsw.VFS):
    """SQLite's own disk layer with faulty files, for all databases of this process."""

    def __init__(self, fault: Path) -> None:
        super().__init__("faulty", base=DEFAULT_VFS, makedefault=True)
        self._disk = Disk(fault)

    def xOpen(  # noqa: N802 - SQLite's name
        self, name: str | apsw.URIFilename | None, flags: list[int]
    ) -> FaultyFile:
        return FaultyFile(name, flags, self._disk)


if __name__ in {"__main__", "__mp_main__"}:  # the second is its name in a worker
    vfs = FaultyVFS(Path(os.environ[VARIABLE]))
if __name__ == "__main__":
    main()
