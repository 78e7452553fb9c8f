"""Loads the named queries: those that the databases share, an adapter's, and the features'.

A feature's folder has ``queries.sql`` and, where the databases differ, ``sqlite.sql`` and
``postgres.sql``. If a feature distributes PostgreSQL's tables, the queries in a file with the
feature's name replace others.
"""

import re
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path

_NAME_LINE = re.compile(r"^-- name: (\w+)\n", re.MULTILINE)
_COMMENT = re.compile(r"^--.*$", re.MULTILINE)  # of the next query, or of a section
_PARAMETER = re.compile(r"\?(?=\d)")
_QUERIES = "queries.sql"


def folder_of(package: str) -> Path:
    """The folder that the package is installed in.

    ``importlib.resources`` would also work in an archive, but takes 10 ms at each start.
    """
    return Path(import_module(package).__path__[0])


def load_queries(package: str, distribution: str | None = None) -> dict[str, str]:
    """All named queries for this adapter, and the feature that distributes its tables, if any."""
    queries: dict[str, str] = {}
    for shared in (folder_of("plantstore.sql") / _QUERIES, *_find_of_features(_QUERIES)):
        queries |= read_queries(shared)
    if package == "plantstore.postgres":
        queries = {name: _PARAMETER.sub("$", sql) for name, sql in queries.items()}
    _, _, adapter = package.rpartition(".")
    for own in (
        folder_of(package) / _QUERIES,
        *_find_of_features(f"{adapter}.sql"),
        *_find_of_features(f"{distribution}.sql"),
    ):
        queries |= read_queries(own)
    return queries


@cache  # a version installed meanwhile is not this program
def read_queries(file: Path) -> dict[str, str]:
    _, *parts = _NAME_LINE.split(file.read_text(encoding="utf-8"))
    queries = (_COMMENT.sub("", sql).strip() for sql in parts[1::2])
    return dict(zip(parts[::2], queries, strict=True))


def _find_of_features(name: str) -> Iterator[Path]:
    return folder_of("plantstore").glob(f"features/*/{name}")
