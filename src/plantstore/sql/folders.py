"""The folders of packages, with the SQL in them."""

from importlib import import_module
from pathlib import Path


def folder_of(package: str) -> Path:
    """The folder that the package is installed in.

    ``importlib.resources`` would find it in an archive, too, but takes 10 ms of every start.
    """
    return Path(import_module(package).__path__[0])
