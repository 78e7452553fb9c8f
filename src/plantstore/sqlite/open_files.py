"""The database's files as they were opened: SQLite goes on with them, whatever replaces them.

Invariant: nothing is acknowledged that was written to a file which the next start does not find.
"""

import os
from pathlib import Path

from plantstore.sqlite.errors import REPLACED, FilesLostError
from plantstore.sqlite.files import SUFFIXES


class OpenFiles:
    """The files of an open database: create it after the first read."""

    def __init__(self, path: Path) -> None:
        files = [f"{path}{suffix}" for suffix in SUFFIXES if suffix != "-lock"]
        self._statuses = [(file, os.stat(file)) for file in files]  # noqa: PTH116 - as below

    def require_same(self) -> None:
        """Refuse files that are no longer those that are open.

        :raises FilesLostError: one was replaced or removed, or cannot be reached.
        """
        for file, opened in self._statuses:
            name = file.rpartition("/")[2]
            try:
                found = os.stat(file)  # noqa: PTH116 - each batch asks, and a Path takes twice as long
            except FileNotFoundError:
                raise FilesLostError(REPLACED.format(name=name)) from None
            except OSError as error:
                raise FilesLostError(f"{name} cannot be reached: {error.strerror}") from None
            if (found.st_ino, found.st_dev) != (opened.st_ino, opened.st_dev):
                raise FilesLostError(REPLACED.format(name=name))
