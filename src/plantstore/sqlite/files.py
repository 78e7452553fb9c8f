"""Owners and permissions of the database's files and folders.

Invariant: new files are accessible only to their owner; files created by root belong to the owner
of the parent folder. No write is acknowledged that went to a file which the next start would not
find.
"""

import os
import pwd
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from plantstore.sqlite.errors import REPLACED, FilesLostError

SUFFIXES = ("", "-wal", "-shm", "-lock")


def create_file(path: Path) -> bool:
    """Create an empty file and its missing folders; returns whether this call created it.

    :raises OSError: it cannot be created.
    """
    for new in reversed([folder for folder in path.parents if not folder.exists()]):
        new.mkdir(mode=0o700, exist_ok=True)
        with opened(new, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW) as made:
            change_owner(made, new.parent.stat())
    # SQLite gives its other files the same owner and permissions.
    try:
        with opened(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW) as file:
            change_owner(file, path.parent.stat())
    except FileExistsError:
        return False
    return True


@contextmanager
def opened(path: Path, flags: int) -> Iterator[int]:
    """A file or folder, open within the block. A new file is accessible only to its owner."""
    file = os.open(path, flags | os.O_CLOEXEC, 0o600)
    try:
        yield file
    finally:
        os.close(file)


def change_owner(file: int, owner: os.stat_result) -> None:
    """Change the owner of an open file or folder, if this runs as root."""
    if os.geteuid() == 0:
        with suppress(OSError):  # the file system has no owners
            os.fchown(file, owner.st_uid, owner.st_gid)


def describe_obstacle(path: Path) -> str:
    """Which of the database's files and folders this user may not use, and who owns it.

    The end of a sentence, such as ``; /data belongs to ada and has mode 0700, and this runs as
    eve``, or empty.
    """
    if (obstacle := next(_find_obstacles(path), None)) is None:
        return ""
    if os.statvfs(obstacle).f_flag & os.ST_RDONLY:
        return "; its file system is mounted read-only"
    status = obstacle.stat()
    owner, user = _name_user(status.st_uid), _name_user(os.geteuid())
    mode = f"{stat.S_IMODE(status.st_mode):04o}"
    advice = "" if owner == user else f": run it as {owner}, or change the owner"
    return f"; {obstacle} belongs to {owner} and has mode {mode}, and this runs as {user}{advice}"


def _find_obstacles(path: Path) -> Iterator[Path]:
    reached = [folder for folder in reversed(path.parents) if os.access(folder, os.F_OK)]
    if not os.access(reached[-1], os.W_OK | os.X_OK):
        yield reached[-1]
    for suffix in SUFFIXES:
        file = path.with_name(path.name + suffix)
        if os.access(file, os.F_OK) and not os.access(file, os.R_OK | os.W_OK):
            yield file


def _name_user(number: int) -> str:
    try:
        return pwd.getpwuid(number).pw_name
    except KeyError:
        return f"the user {number}"


class OpenFiles:
    """The files of an open database: create it after the first read.

    :raises FilesLostError: one was removed, or cannot be reached.
    """

    def __init__(self, path: Path) -> None:
        self._files = [f"{path}{suffix}" for suffix in SUFFIXES if suffix != "-lock"]
        self._opened: dict[str, tuple[int, int]] = {}
        self.require_same()

    def require_same(self) -> None:
        """Refuse to go on with files that are no longer the opened ones.

        :raises FilesLostError: one was replaced or removed, or cannot be reached.
        """
        file = ""
        try:
            for file in self._files:
                status = os.stat(file)  # noqa: PTH116 - each batch asks, a Path takes twice as long
                identity = status.st_ino, status.st_dev
                if self._opened.setdefault(file, identity) != identity:
                    raise FileNotFoundError
        except OSError as error:
            name = file.rpartition("/")[2]
            if isinstance(error, FileNotFoundError):
                raise FilesLostError(REPLACED.format(name=name)) from None
            raise FilesLostError(f"{name} cannot be reached: {error.strerror}") from None
