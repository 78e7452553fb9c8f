"""Owners and permissions of the database's files and folders.

Invariant: new ones are accessible only to their owner, those created by root belong to the owner of
the parent folder, and no other file changes its owner.
"""

import os
import pwd
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

SUFFIXES = ("", "-wal", "-shm", "-lock")


def create_file(path: Path) -> bool:
    """Create an empty file and its missing folders; whether this call created it.

    :raises OSError: it cannot be created.
    """
    _create_folders(path.parent)
    # SQLite gives its other files the same owner and permissions.
    try:
        with opened(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW) as file:
            give_away(file, path.parent.stat())
    except FileExistsError:
        return False
    return True


@contextmanager
def opened(path: Path, flags: int) -> Iterator[int]:
    """A file or folder, open within the block; a new file is its owner's alone."""
    file = os.open(path, flags | os.O_CLOEXEC, 0o600)
    try:
        yield file
    finally:
        os.close(file)


def give_away(file: int, owner: os.stat_result) -> None:
    """As root, give an open file or folder to this owner, unless it has other names."""
    if os.geteuid() == 0 and is_alone(file):
        with suppress(OSError):  # the file system has no owners
            os.fchown(file, owner.st_uid, owner.st_gid)


def is_alone(file: int) -> bool:
    """Whether an open file is a folder, or a regular file with one name.

    Through a hard link, a command of root would give away another of root's files.
    """
    status = os.fstat(file)
    return stat.S_ISDIR(status.st_mode) or (stat.S_ISREG(status.st_mode) and status.st_nlink == 1)


def describe_obstacle(path: Path) -> str:
    """The first of the database's files and folders that this user may not use, and its owner.

    The end of a sentence, such as ``; /data belongs to ada and has mode 0700, and this runs as
    eve``, or empty.
    """
    obstacle = next(_find_obstacles(path), None)
    if obstacle is None:
        return ""
    if os.statvfs(obstacle).f_flag & os.ST_RDONLY:
        return "; its file system is mounted read-only"
    status = obstacle.stat()
    return (
        f"; {obstacle} belongs to {_name_user(status.st_uid)} and has mode "
        f"{stat.S_IMODE(status.st_mode):04o}, and this runs as {_name_user(os.geteuid())}"
    )


def _find_obstacles(path: Path) -> Iterator[Path]:
    reached = [folder for folder in reversed(path.parents) if os.access(folder, os.F_OK)]
    if not os.access(reached[-1], os.W_OK | os.X_OK):
        yield reached[-1]
    for suffix in SUFFIXES:
        file = path.with_name(path.name + suffix)
        if os.access(file, os.F_OK) and not os.access(file, os.R_OK | os.W_OK):
            yield file


def _create_folders(folder: Path) -> None:
    missing = [parent for parent in (folder, *folder.parents) if not parent.exists()]
    for new in reversed(missing):
        new.mkdir(mode=0o700, exist_ok=True)
        with opened(new, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW) as made:
            give_away(made, new.parent.stat())


def _name_user(number: int) -> str:
    try:
        return pwd.getpwuid(number).pw_name
    except KeyError:
        return f"the user {number}"
