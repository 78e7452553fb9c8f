"""``python -m tests.importing.stopping import …``: the program, stopped at one of its writes."""

import os
import signal
from collections.abc import Callable, Sequence
from itertools import count

from plantstore.cli import main
from plantstore.postgres.session import PostgresSession
from plantstore.sql.importing import importing, undo
from plantstore.sql.session import Row
from plantstore.sqlite.session import SQLiteSession

PORTION_ROWS = 10
AT, SIGNAL = "TEST_STOPPED_AT", "TEST_STOPPED_BY"


def _stop_at(number: int, signal_number: int) -> None:
    """Send this process a signal before its write of this number, with small portions."""
    for module in (importing, undo):
        vars(module)["PORTION_ROWS"] = PORTION_ROWS
    numbers = count(1)
    for session in (PostgresSession, SQLiteSession):
        write_rows = session.write_rows

        def count_write(
            self: object,
            name: str,
            rows: Sequence[Row],
            write_rows: Callable[..., None] = write_rows,
        ) -> None:
            if next(numbers) == number:
                os.kill(os.getpid(), signal_number)
            write_rows(self, name, rows)

        setattr(session, "write_rows", count_write)  # noqa: B010 - mypy knows it as a method


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # maybe it is ignored
    _stop_at(int(os.environ[AT]), int(os.environ[SIGNAL]))
    main()
