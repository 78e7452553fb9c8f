"""Runs the plantstore command line on a disk whose fsync fails while a file exists.

``PLANTSTORE_TEST_FAULT=/tmp/fault python -m tests.faulty_vfs serve``: fsyncs work until there is
a file ``/tmp/fault``. Where it reads ``once``, one fsync fails, and the next ones work again, as
they do on Linux.
"""

import os
from pathlib import Path

import apsw

from plantstore.cli import main

VARIABLE = "PLANTSTORE_TEST_FAULT"
SQLITES_OWN = "unix"


class FaultyFile(apsw.VFSFile):
    """A file of SQLite's own disk layer, but for its fsync."""

    def __init__(self, name: str | apsw.URIFilename | None, flags: list[int], fault: Path) -> None:
        super().__init__(SQLITES_OWN, name, flags)
        self._fault = fault

    def xSync(self, flags: int) -> None:  # noqa: N802 - SQLite's name
        """Fail while the fault is there, else sync."""
        if self._fault.exists():
            if self._fault.read_text(encoding="utf-8").strip() == "once":
                self._fault.unlink()
            error = apsw.exception_for(apsw.SQLITE_IOERR_FSYNC)
            error.args = ("the disk is broken for a test",)
            raise error
        super().xSync(flags)


class FaultyVFS(apsw.VFS):
    """SQLite's own disk layer with such files, for all databases of this process."""

    def __init__(self, fault: Path) -> None:
        super().__init__("faulty", base=SQLITES_OWN, makedefault=True)
        self._fault = fault

    def xOpen(  # noqa: N802 - SQLite's name
        self, name: str | apsw.URIFilename | None, flags: list[int]
    ) -> FaultyFile:
        """Open a file."""
        return FaultyFile(name, flags, self._fault)


if __name__ in {"__main__", "__mp_main__"}:  # the second is a worker's name for it
    vfs = FaultyVFS(Path(os.environ[VARIABLE]))
if __name__ == "__main__":
    main()
