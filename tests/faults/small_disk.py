"""A disk of 32 MiB, as the program sees it, for a test: see ``disk_limit.py``."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import plantstore
from tests.cli.program import PLANTSTORE, Program
from tests.faults.disk_limit import PAGE, VARIABLE, count_free
from tests.service import Service

_ROOT = Path(__file__).parents[2]
_SOURCE = Path(plantstore.__file__).parents[1]


class SmallDisk:
    """A disk in ``folder``; ``service`` serves its database, and ``program`` administers it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "disk"
        self.folder.mkdir()
        (folder / "sitecustomize.py").write_text("import tests.faults.disk_limit\n")
        environ = {VARIABLE: str(self.folder), "PYTHONPATH": f"{folder}:{_SOURCE}:{_ROOT}"}
        database = f"sqlite:///{self.folder}/plants.db"
        self.program = Program(folder, {**environ, "PLANTSTORE_DATABASE": database})
        command = ("env", *(f"{name}={value}" for name, value in environ.items()), *PLANTSTORE)
        self.service = Service(folder, database=database, command=command)
        self._ballast = self.folder / "ballast"

    def fill(self) -> None:
        self.leave(0)

    def leave(self, pages: int) -> None:
        self._ballast.touch()
        size = self._ballast.stat().st_size + count_free(self.folder) - pages * PAGE
        os.truncate(self._ballast, max(0, size))

    def make_room(self) -> None:
        self._ballast.unlink(missing_ok=True)


@contextmanager
def small_disk(folder: Path) -> Iterator[SmallDisk]:
    disk = SmallDisk(folder)
    with disk.service:
        yield disk
