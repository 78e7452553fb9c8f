"""Processes that meet at a missing database make it once, and all find it whole."""

import multiprocessing
from contextlib import closing
from multiprocessing.synchronize import Barrier
from pathlib import Path

import apsw
import pytest

from plantstore.core.errors import SetupError
from plantstore.core.settings import Settings
from plantstore.sqlite import database
from plantstore.sqlite.connection import ensure_file, open_file
from plantstore.sqlite.data_version import DataVersion
from tests.next_version import NEWEST

PROCESSES = 4
ROUNDS = 10


def prepare_all(folder: Path, barrier: Barrier) -> None:
    """What each process does; it ends with 0 where each database was whole at once."""
    for number in range(ROUNDS):
        path = folder / f"{number}" / "plants.db"
        barrier.wait(30)
        ensure_file(path)
        with closing(open_file(path)) as connection:
            assert connection.execute("SELECT count(*) FROM stores").get == 0


def test_a_missing_database_is_made_once_by_several_processes(tmp_path: Path) -> None:
    spawning = multiprocessing.get_context("spawn")
    barrier = spawning.Barrier(PROCESSES)
    processes = [
        spawning.Process(target=prepare_all, args=(tmp_path, barrier)) for _ in range(PROCESSES)
    ]
    for process in processes:
        process.start()
    for process in processes:
        process.join(60)
    assert [process.exitcode for process in processes] == PROCESSES * [0]
    for number in range(ROUNDS):
        with closing(apsw.Connection(str(tmp_path / f"{number}" / "plants.db"))) as connection:
            assert (
                connection.execute("SELECT count(*) FROM schema_migrations").get == NEWEST["sqlite"]
            )
            assert connection.execute("PRAGMA integrity_check").get == "ok"


@pytest.mark.anyio
async def test_a_file_that_goes_while_it_is_opened_is_named(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class MovingDataVersion(DataVersion):
        def __init__(self, path: Path) -> None:
            super().__init__(path)
            for file in tmp_path.glob("plants.db*"):
                file.rename(f"{file}.moved")

    monkeypatch.setattr(database, "DataVersion", MovingDataVersion)
    with pytest.raises(SetupError, match=r"cannot use the database .*/plants\.db: plants\.db was "):
        database.SQLiteDatabase(Settings(database=url))
