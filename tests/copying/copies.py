"""Copies within this process, and copies of the command line that are killed."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from itertools import count

from plantstore.bootstrap import open_copy
from plantstore.cli import main
from plantstore.postgres.session import PostgresSession
from plantstore.sql.copying import batch, tables
from plantstore.sql.session import Row
from plantstore.sqlite.session import SQLiteSession
from tests.cli.program import Program

PAGE_ROWS = 500
VARIABLE = "PLANTSTORE_TEST_KILLED_AT"


def copy(source: str, target: str) -> Mapping[str, int]:
    """Copy and verify; how many rows of which kind were written."""
    with open_copy(source, target) as copying:
        copying.check()
        sum(copying.write())
        sum(copying.verify())
        return copying.written


def copy_until_killed(program: Program, source: str, target: str, write: int) -> None:
    """Copy in a process that is killed before its write of this number, counted from 1."""
    environ = program.environ | {VARIABLE: str(write)}
    command = [sys.executable, "-m", "tests.copying.copies", "copy"]
    killed = subprocess.run([*command, "--from", source, "--to", target], check=False, env=environ)
    assert killed.returncode == -signal.SIGKILL


def _kill_at(write: int) -> None:
    """Let this process be killed there, with small pages, and a transaction for each."""
    tables.PAGE_ROWS = batch.BATCH_ROWS = PAGE_ROWS
    numbers = count(1)
    for session in (PostgresSession, SQLiteSession):
        write_rows = session.write_rows

        def count_write(
            self: object,
            name: str,
            rows: Sequence[Row],
            write_rows: Callable[..., None] = write_rows,
        ) -> None:
            if next(numbers) == write:
                os.kill(os.getpid(), signal.SIGKILL)
            write_rows(self, name, rows)

        setattr(session, "write_rows", count_write)  # noqa: B010 - mypy knows it as a method


if __name__ == "__main__":
    _kill_at(int(os.environ[VARIABLE]))
    main()
