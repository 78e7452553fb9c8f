"""The database's files as they were opened: SQLite goes on with them, whatever replaces them.

Invariant: nothing is acknowledged that was written to a file which the next start does not find.
"""

import os
from pathlib import Path

from plantstore.sqlite.errors import REPLACED, FilesLostError
from plantstore.sqlite.files import SUFFIXES


class OpenFiles:
    """The files of an open database: create it after the first read.

    :raises FilesLostError: one was removed, or cannot be reached.
    """

    def __init__(self, path: Path) -> None:
        files = [f"{path}{suffix}" for suffix in SUFFIXES if suffix != "-lock"]
        self._identities = [(file, _identify(file)) for file in files]

    def require_same(self) -> None:
        """Refuse files that are no longer those that are open.

        :raises FilesLostError: one was replaced or removed, or cannot be reached.
        """
        for file, opened in self._identities:
            if _identify(file) != opened:
                raise FilesLostError(REPLACED.format(name=file.rpartition("/")[2]))


def _identify(file: str) -> tuple[int, int]:
    try:
        found = os.stat(file)  # noqa: PTH116 - each batch asks, and a Path takes twice as long
    except OSError as error:
        name = file.rpartition("/")[2]
        if isinstance(error, FileNotFoundError):
            raise FilesLostError(REPLACED.format(name=name)) from None
        raise FilesLostError(f"{name} cannot be reached: {error.strerror}") from None
    return found.st_ino, found.st_dev
