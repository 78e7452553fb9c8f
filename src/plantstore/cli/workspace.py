"""A folder for unfinished files, and how finished files reach their final place.

Invariant: a file at its final place is complete and on disk, even after a kill or a power loss.
"""

import fcntl
import os
import re
import shutil
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from plantstore.core.errors import SetupError
from plantstore.sqlite.files import change_owner, opened

_SQLITE = b"SQLite format 3\0"  # how its files begin


def end_cleanly() -> None:
    """Make SIGTERM end a command as Ctrl-C does, so that it removes its unfinished files."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)


def require_replaceable(target: Path, backed_up: Path | None = None) -> None:
    """Refuse a target that is no file, or a database's; a backup may only replace a backup."""
    file = Path(os.path.realpath(target))
    if file.exists() and not file.is_file():
        raise SetupError(f"{target} is not a regular file")
    database = file.with_name(re.sub("(?<=.)-(wal|shm|lock)$", "", file.name))
    if backed_up in (file, database) or database.with_name(f"{database.name}-lock").exists():
        raise SetupError(f"{target} is or was a database in use: give another name")
    # Only now: closing a database that this process uses would release SQLite's locks.
    with opened(database if database.is_file() else Path(os.devnull), os.O_RDONLY) as begun:
        start = os.read(begun, len(_SQLITE))
    if start and (start == _SQLITE) != (backed_up is not None and file == database):
        kind = "a SQLite database" if start == _SQLITE else "not a backup"
        raise SetupError(f"{target} is {kind}: give another name, or remove it first")


@contextmanager
def workspace(folder: Path, name: str) -> Iterator[Path]:
    """A folder inside another; it is deleted at the end or, after a kill, by the next command.

    :raises SetupError: another process uses it, or it belongs to another user.
    """
    if not folder.is_dir():
        raise SetupError(f"there is no folder {folder}")
    path = folder / f".{name}.unfinished"
    path.mkdir(mode=0o700, exist_ok=True)
    with opened(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW) as made:
        if os.fstat(made).st_uid != os.geteuid():
            raise SetupError(f"{path} belongs to another user: remove it")
        try:
            fcntl.flock(made, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise SetupError(f"another command is writing to {folder}: wait for it") from None
        for left in path.iterdir():
            left.unlink()
        try:
            yield path
        finally:
            shutil.rmtree(path)


def publish(file: Path, target: Path) -> None:
    file.chmod(0o600)  # until now its folder kept others out
    flush(file, owner=target.parent.stat())
    file.replace(target)
    flush_folder(target.parent)


def flush(file: Path, owner: os.stat_result) -> None:
    """Flush a file to disk; as root, give it to this owner."""
    with opened(file, os.O_RDWR) as finished:
        change_owner(finished, owner)
        os.fsync(finished)


def flush_folder(folder: Path) -> None:
    with opened(folder, os.O_RDONLY | os.O_DIRECTORY) as changed:
        os.fsync(changed)
