"""A snapshot that cannot be opened leaves nothing open: it would keep the log from ending."""

import asyncio
import gc
import time
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from plantstore.core.errors import DatabaseUnavailableError
from plantstore.core.settings import Settings
from plantstore.sqlite.database import SQLiteDatabase


@pytest.fixture
def _no_collection() -> Iterator[None]:
    """As in the service, where it is seldom."""
    gc.disable()
    yield
    gc.enable()


def count_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


@pytest.mark.anyio
@pytest.mark.usefixtures("_no_collection")
async def test_snapshots_that_cannot_be_opened_leave_no_connections(
    url: str, connection: apsw.Connection
) -> None:
    database = SQLiteDatabase(Settings(database=url))
    connection.execute("ALTER TABLE revisions RENAME TO lost")
    before = count_files()
    for _ in range(10):
        with pytest.raises(DatabaseUnavailableError):
            await database.open_snapshot(1)
    deadline = time.monotonic() + 10
    while count_files() > before + 5:  # SQLite keeps some for the next connection
        assert time.monotonic() < deadline
        await asyncio.sleep(0.01)
    await database.close()
