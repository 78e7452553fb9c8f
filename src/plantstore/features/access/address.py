"""Where the service's page is, in a file beside the database: ``plantstore link create`` finds it.

Invariant: an address is found only while the process that recorded it, or a worker of it, runs:
they hold a lock on the file. What a killed service left is not found.
"""

import fcntl
import logging
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from plantstore.databases import find_file
from plantstore.feature import Start
from plantstore.features.access.declared import declare_at_start
from plantstore.sqlite.files import create_file, opened

logger = logging.getLogger(__name__)

_MAX_BYTES = 4096


@contextmanager
def surround(start: Start) -> Iterator[None]:
    """Have the address found within the block, and show the way in where that is asked for.

    Of several services, the last one's is found. On PostgreSQL services on several machines share
    the database, each with its own address.
    """
    path = _find_path(start.settings.database)
    with ExitStack() as opened_files:
        try:
            if path is not None:
                _record(path, start.address, opened_files)
        except OSError as error:  # such as a full disk, on which lists can still be served
            logger.warning("plantstore link create will not find the service: %s", error)
        declare_at_start(start.settings)
        if "welcome" in start.flags:
            from plantstore.features.access.welcome import welcome  # noqa: PLC0415 - seldom

            welcome(start)
        yield


def _record(path: Path, address: str, opened_files: ExitStack) -> None:
    path.unlink(missing_ok=True)  # another service may hold the lock on that file
    create_file(path)
    file = opened_files.enter_context(opened(path, os.O_WRONLY | os.O_NOFOLLOW))
    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    os.write(file, address.encode())


def find_address(url: str) -> str | None:
    """The address that a running service has recorded."""
    path = _find_path(url)
    if path is None:
        return None
    with suppress(OSError), opened(path, os.O_RDONLY) as file:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return os.read(file, _MAX_BYTES).decode() or None
    return None


def _find_path(url: str) -> Path | None:
    database = find_file(url)
    return database and database.with_name(f"{database.name}-address")
