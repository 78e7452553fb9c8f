"""Reads all SQL, by name: ``queries.sql`` of this package, and of an adapter."""

import re
from importlib import import_module
from pathlib import Path

_NAME_LINE = re.compile(r"^-- name: (\w+)\n", re.MULTILINE)
_PARAMETER = re.compile(r"\?(?=\d)")


def folder_of(package: str) -> Path:
    """The folder that the package is installed in.

    ``importlib.resources`` would find it in an archive, too, but takes 10 ms of every start.
    """
    return Path(import_module(package).__path__[0])


def load_queries(package: str) -> dict[str, str]:
    """The named queries of the adapter's package, with those that the databases share."""
    own, shared = read_queries(package), read_queries("plantstore.sql")
    if package == "plantstore.postgres":
        shared = {name: _PARAMETER.sub("$", sql) for name, sql in shared.items()}
    return shared | own


def read_queries(package: str) -> dict[str, str]:
    """The named queries of the package's ``queries.sql`` alone."""
    text = (folder_of(package) / "queries.sql").read_text(encoding="utf-8")
    _, *parts = _NAME_LINE.split(text)
    return {name: sql.strip() for name, sql in zip(parts[::2], parts[1::2], strict=True)}
