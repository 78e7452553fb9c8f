"""The program, stopped by a signal at one of its writes to a database of either kind."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from itertools import count, product

from plantstore.features.transfer import copying, importing, tables
from plantstore.postgres.session import PostgresSession
from plantstore.program import main
from plantstore.sqlite.session import SQLiteSession
from tests.cli.program import Program

PORTION_ROWS = 10  # of an import
PAGE_ROWS = 500  # of a copy
MAX_ROWS = PAGE_ROWS - 2  # each page is a transaction of its own
_AT, _SIGNAL = "TEST_STOPPED_AT", "TEST_STOPPED_BY"


def run_stopped(
    program: Program, write: int, stop: signal.Signals, *arguments: str
) -> subprocess.CompletedProcess[str]:
    """Run a command that gets a signal before its write of this number, counted from 1."""
    return subprocess.run(
        [sys.executable, "-m", "tests.features.transfer.stopping", *arguments],
        check=False,
        env=program.environ | {_AT: str(write), _SIGNAL: str(int(stop))},
        capture_output=True,
        text=True,
    )


def _stop_at(write: int, signal_number: int) -> None:
    numbers = count(1)

    def stopped(method: Callable[..., object]) -> Callable[..., object]:
        def count_write(*arguments: object, **options: object) -> object:
            if next(numbers) == write:
                os.kill(os.getpid(), signal_number)
            return method(*arguments, **options)

        return count_write

    for session, name in product((PostgresSession, SQLiteSession), ("write", "write_rows")):
        setattr(session, name, stopped(getattr(session, name)))


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # it may be ignored
    vars(importing)["PORTION"] = PORTION_ROWS
    tables.PAGE_ROWS = vars(copying)["PAGE_ROWS"] = PAGE_ROWS
    copying.MAX_ROWS = MAX_ROWS
    _stop_at(int(os.environ[_AT]), int(os.environ[_SIGNAL]))
    main()
