"""Fixtures: a source and a target database, for each pair of kinds or for those of a module."""

import shutil
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest

from tests.cli.program import Program
from tests.databases import SQLITE, postgres_kind
from tests.features.transfer.copying.fixtures import SQLITE_URL, Filled, fill

Pair = tuple[str, str]


@pytest.fixture(params=product(("sqlite", "postgres"), repeat=2), ids="-to-".join)
def pair(request: pytest.FixtureRequest) -> Pair:
    kinds: Pair = request.param
    return kinds


@pytest.fixture
def source(pair: Pair, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    yield from fresh(pair[0], request, tmp_path / "source")


@pytest.fixture
def target(pair: Pair, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    yield from fresh(pair[1], request, tmp_path / "target")


def fresh(kind: str, request: pytest.FixtureRequest, folder: Path) -> Iterator[str]:
    folder.mkdir()
    is_sqlite = kind == "sqlite"
    with (SQLITE if is_sqlite else postgres_kind(request.getfixturevalue("postgres_server"))).fresh(
        folder
    ) as url:
        yield url


@pytest.fixture(scope="session")
def filled_once(tmp_path_factory: pytest.TempPathFactory) -> Filled:
    """A filled database, whose file ``filled`` copies."""
    folder = tmp_path_factory.mktemp("filled")
    return fill(folder, SQLITE_URL.format(folder))


@pytest.fixture
def filled(filled_once: Filled, tmp_path: Path) -> Filled:
    url = SQLITE_URL.format(tmp_path)
    shutil.copy(filled_once.path, tmp_path)
    return Filled(url, filled_once.tokens)


@pytest.fixture
def program(tmp_path: Path) -> Program:
    return Program(tmp_path)
