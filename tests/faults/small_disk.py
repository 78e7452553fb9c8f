"""A small file system of its own for a test: in memory, and soon full."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.service import Service

KIB = 1024
_MOUNT = ("mount", "-t", "tmpfs", "-o", f"size={32 * KIB * KIB},mode=700", "plantstore-test")


def can_mount() -> bool:
    """Whether we may mount a file system: on Linux as root, where nobody took that from it."""
    if not sys.platform.startswith("linux"):
        return False
    with TemporaryDirectory() as folder:
        done = subprocess.run([*_MOUNT, folder], check=False, capture_output=True)
        if done.returncode == 0:
            subprocess.run(["umount", folder], check=True)
    return done.returncode == 0


class SmallDisk:
    """A file system of 32 MiB in ``folder``; ``service`` serves a database on it."""

    def __init__(self, folder: Path, service: Service) -> None:
        self.folder = folder
        self.service = service
        self._ballast = folder / "ballast"

    def fill(self) -> None:
        """Leave no free byte."""
        with self._ballast.open("ab", buffering=0) as ballast:
            for size in (64 * KIB, KIB, 1):
                try:
                    while ballast.write(bytes(size)) == size:
                        pass
                except OSError:
                    continue

    def leave(self, pages: int) -> None:
        """Leave this many pages of 4 KiB free, on a disk that is almost full."""
        self.fill()
        os.truncate(self._ballast, self._ballast.stat().st_size - pages * 4 * KIB)

    def make_room(self) -> None:
        """Give the bytes back that were filled."""
        self._ballast.unlink(missing_ok=True)


@contextmanager
def small_disk(folder: Path) -> Iterator[SmallDisk]:
    """A small file system with a service on it."""
    disk = folder / "disk"
    disk.mkdir()
    subprocess.run([*_MOUNT, str(disk)], check=True)
    try:
        with Service(folder, database=f"sqlite:///{disk}/plants.db") as service:
            yield SmallDisk(disk, service)
    finally:
        subprocess.run(["umount", str(disk)], check=True)
