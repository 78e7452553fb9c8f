"""Several processes that start without a database create it once."""

import multiprocessing
from contextlib import closing
from multiprocessing.synchronize import Barrier
from pathlib import Path

import apsw

from plantstore.sql.migrations import load_migrations
from plantstore.sqlite.connection import ensure_file, open_file

PROCESSES = 4
ROUNDS = 10


def prepare_all(folder: Path, barrier: Barrier) -> None:
    """Run in each process: fail unless each database is complete at once."""
    for number in range(ROUNDS):
        path = folder / f"{number}" / "plants.db"
        barrier.wait(30)
        ensure_file(path)
        with closing(open_file(path)) as connection:
            assert connection.execute("SELECT count(*) FROM stores").get == 0


def test_several_processes_create_a_missing_database_once(tmp_path: Path) -> None:
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
            count = connection.execute("SELECT count(*) FROM schema_migrations").get
            assert count == len(load_migrations("plantstore.sqlite"))
            assert connection.execute("PRAGMA integrity_check").get == "ok"
