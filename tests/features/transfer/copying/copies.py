"""Copies within this process, and copies of the command line that are killed."""

import os
import signal
import subprocess
import sys
from collections.abc import Mapping

from plantstore.features.transfer import copying, tables
from plantstore.features.transfer.copying import open_copy
from plantstore.program import main
from tests.cli.program import Program
from tests.stopped_writes import stop_at

PAGE_ROWS = 500
MAX_ROWS = PAGE_ROWS - 2  # each page is a transaction of its own
VARIABLE = "PLANTSTORE_TEST_KILLED_AT"


def copy(source: str, target: str, store: str | None = None) -> Mapping[str, int]:
    """Copy and verify; how many rows of which kind were written."""
    with open_copy(source, target, store) as opened:
        opened.check()
        sum(opened.write())
        sum(opened.verify())
        return opened.written


def copy_until_killed(program: Program, source: str, target: str, write: int) -> None:
    """Copy in a process that is killed before its write of this number, counted from 1."""
    environ = program.environ | {VARIABLE: str(write)}
    command = [sys.executable, "-m", "tests.features.transfer.copying.copies", "copy"]
    killed = subprocess.run([*command, "--from", source, "--to", target], check=False, env=environ)
    assert killed.returncode == -signal.SIGKILL


if __name__ == "__main__":
    tables.PAGE_ROWS, copying.MAX_ROWS = PAGE_ROWS, MAX_ROWS
    stop_at(os.environ[VARIABLE], signal.SIGKILL)
    main()
