"""A command that a signal reaches at some of its writes to the database, on either kind."""

import os
from collections.abc import Callable, Sequence
from itertools import count

from plantstore.core.database import Row
from plantstore.postgres.session import PostgresSession
from plantstore.sqlite.session import SQLiteSession


def stop_at(writes: str, signal_number: int) -> None:
    """Send this process a signal before its writes of these numbers, such as "7 9", from 1."""
    stopped = {int(number) for number in writes.split()}
    numbers = count(1)
    for session in (PostgresSession, SQLiteSession):
        write_rows = session.write_rows

        def count_write(
            self: object,
            name: str,
            rows: Sequence[Row],
            write_rows: Callable[..., None] = write_rows,
        ) -> None:
            if next(numbers) in stopped:
                os.kill(os.getpid(), signal_number)
            write_rows(self, name, rows)

        setattr(session, "write_rows", count_write)  # noqa: B010 - mypy knows it as a method
