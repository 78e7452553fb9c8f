"""A lock between the processes of a machine, on a file beside the database.

SQLite polls for its own lock, so some of several writing processes would wait for hundreds of
milliseconds. A process that waits for this lock is woken as soon as the lock is free.
"""

import fcntl
import mmap
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from plantstore.core.errors import SetupError
from plantstore.sqlite.files import change_owner, opened

_SQLITE_BYTES = (512, 2**30)  # SQLite's lock bytes: their number, and the first
_TIMEOUT = 10.0  # seconds
_POLL_SECONDS = 0.0002  # a busy service leaves the lock free for about as long
_WANTED_SECONDS = 0.02  # after a poll that failed: the next one may be late
_wanted_until = memoryview(mmap.mmap(-1, 8)).cast("d")  # shared by workers, which are forked


class FileLock:
    """An open lock file; at most one process holds the lock."""

    def __init__(self, database: Path, suffix: str = "-lock") -> None:
        self._path = database.with_name(database.name + suffix)
        # If it followed a link, a command run by root would give away the target.
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
        self._file = os.open(self._path, flags, 0o600)
        with suppress(OSError):  # its owner has set the mode
            # All users who may write to the database may take its lock.
            owner = database.stat()
            writers = owner.st_mode & 0o022
            os.fchmod(self._file, 0o600 | writers | writers << 1)
            change_owner(self._file, owner)

    @contextmanager
    def held(self) -> Iterator[None]:
        """Wait until the lock is free, then hold it.

        :raises SetupError: another process holds it for longer than a command waits.
        """
        if not self.try_acquire(_TIMEOUT):
            raise SetupError(
                f"another process has held {self._path} for longer than {_TIMEOUT:g} s: "
                "find it, for example with `fuser`, and try again"
            )
        try:
            yield
        finally:
            self.release()

    def acquire(self) -> None:
        _wanted_until[0] = time.monotonic() + 1.0  # no longer: it may be killed
        fcntl.flock(self._file, fcntl.LOCK_EX)
        _wanted_until[0] = 0.0

    def release(self) -> None:
        fcntl.flock(self._file, fcntl.LOCK_UN)

    def try_acquire(self, timeout: float = 0.0) -> bool:
        """Take the lock, if it is free now or within this many seconds."""
        deadline = time.monotonic() + timeout
        while True:
            try:
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() >= deadline:
                    return False
                _wanted_until[0] = time.monotonic() + _WANTED_SECONDS
                time.sleep(_POLL_SECONDS)
            else:
                _wanted_until[0] = 0.0
                return True

    @property
    def is_wanted(self) -> bool:
        """Whether a thread of this process, or of another worker, waits for such a lock."""
        return time.monotonic() < _wanted_until[0]

    def close(self) -> None:
        os.close(self._file)


@contextmanager
def unused(database: Path) -> Iterator[bool]:
    """Keep all other processes from using the file; yields whether the file exists.

    Every connection in WAL mode that has read from a file holds a shared lock on it until it is
    closed, in SQLite's lock bytes (https://sqlite.org/fileformat2.html#the_lock_byte_page). A
    service that has opened the file but not yet read it holds a ``FileLock``.

    :raises SetupError: another process uses it.
    """
    if not database.exists():
        yield False
        return
    with opened(database, os.O_RDWR) as file:
        try:
            # This process has no connection to it: closing one would release the lock.
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, *_SQLITE_BYTES)
        except BlockingIOError:
            raise SetupError(
                f"{database} is in use: stop the service, and every other program that uses "
                "it (see `fuser`)"
            ) from None
        yield True
