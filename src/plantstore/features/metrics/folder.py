"""The folder with the numbers of several workers: a set of files for each.

Invariant: no counter goes down while the service runs: the next worker in a place continues the
files of the one before. They are in memory if possible: a process that writes to a
mapped file dies if the disk has no room for it.
"""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir

FOLDER = "PROMETHEUS_MULTIPROC_DIR"  # prometheus-client's variable
_PREFIX = "plantstore-metrics-"


@contextmanager
def shared_folder() -> Iterator[None]:
    """Make the folder, for workers that are forked within the block."""
    memory = os.environ.get("RUNTIME_DIRECTORY", "/dev/shm")  # noqa: S108 - the folder is ours alone
    parent = memory if os.access(memory, os.W_OK) else gettempdir()
    for folder in Path(parent).glob(f"{_PREFIX}*"):
        with suppress(PermissionError):  # a service of another user
            try:
                os.kill(int(folder.name.split("-")[2]), 0)
            except ProcessLookupError:  # it was killed
                shutil.rmtree(folder, ignore_errors=True)
    with TemporaryDirectory(prefix=f"{_PREFIX}{os.getpid()}-", dir=parent) as made:
        os.environ[FOLDER] = made
        yield
