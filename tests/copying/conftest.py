"""Fixtures: a source and a target of each kind."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.program import Program
from tests.databases import SQLITE, postgres_kind

KINDS = ("sqlite", "postgres")


def fresh(request: pytest.FixtureRequest, folder: Path) -> Iterator[str]:
    """A database of the kind that the request names."""
    folder.mkdir()
    name = request.param
    kind = SQLITE if name == "sqlite" else postgres_kind(request.getfixturevalue("postgres_server"))
    with kind.fresh(folder) as url:
        yield url


@pytest.fixture(params=KINDS, ids="from-{}".format)
def source(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The URL of a database to copy from."""
    yield from fresh(request, tmp_path / "source")


@pytest.fixture(params=KINDS, ids="to-{}".format)
def target(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The URL of a database to copy to."""
    yield from fresh(request, tmp_path / "target")


@pytest.fixture
def program(tmp_path: Path) -> Program:
    """The program."""
    return Program(tmp_path)
