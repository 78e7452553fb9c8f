"""Where several workers have their numbers: files in one folder, a set for each process.

Invariant: no counter goes down while the service runs, whatever becomes of a worker. The folder is
in memory where that is possible: a process dies if the disk has no room for a file it has mapped.
"""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir

FOLDER = "PROMETHEUS_MULTIPROC_DIR"  # prometheus-client's variable, read when it is imported
_PREFIX = "plantstore-metrics-"


@contextmanager
def shared_folder() -> Iterator[None]:
    """Have processes that begin within the block put their numbers in a folder."""
    memory = os.environ.get("RUNTIME_DIRECTORY", "/dev/shm")  # noqa: S108 - the folder is ours alone
    parent = memory if os.access(memory, os.W_OK) else gettempdir()
    for folder in Path(parent).glob(f"{_PREFIX}*"):
        if not is_alive(int(folder.name.split("-")[2])):  # of a service that was killed
            shutil.rmtree(folder, ignore_errors=True)
    with TemporaryDirectory(prefix=f"{_PREFIX}{os.getpid()}-", dir=parent) as made:
        os.environ[FOLDER] = made
        try:
            yield
        finally:
            del os.environ[FOLDER]


def is_alive(pid: int) -> bool:
    """Whether there is such a process."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True
