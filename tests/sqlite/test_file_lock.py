"""The lock between processes: who holds it learns that another thread waits."""

from contextlib import closing
from pathlib import Path
from threading import Thread

from plantstore.sqlite.file_lock import FileLock
from tests.waiting import wait_until


def test_the_holder_learns_that_a_thread_of_its_process_waits(tmp_path: Path) -> None:
    database = tmp_path / "plants.db"
    with closing(FileLock(database)) as held, closing(FileLock(database)) as wanted:
        assert held.try_acquire()
        assert not held.is_wanted
        waiting = Thread(target=wanted.try_acquire, args=(60,))
        waiting.start()
        wait_until(lambda: held.is_wanted)
        held.release()
        waiting.join()
        assert not held.is_wanted
        assert not held.try_acquire()
