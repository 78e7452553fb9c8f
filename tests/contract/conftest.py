"""Fixtures: a fresh database of each kind, administered and serving."""

from collections.abc import AsyncIterator, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.administration import Administration, open_administration
from tests.contract.harness import DatabaseHarness
from tests.databases import Kind
from tests.postgres.server import PostgresServer


@pytest.fixture
def url(database_kind: Kind, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """An empty database; no test of the contract changes its schema."""
    if database_kind.name == "sqlite":
        fresh = database_kind.fresh(tmp_path)
    else:
        server: PostgresServer = request.getfixturevalue("postgres_server")
        fresh = server.emptied()
    with fresh as opened:
        yield opened


@pytest.fixture
def administration(url: str) -> Iterator[Administration]:
    with closing(open_administration(url)) as opened:
        yield opened


@pytest.fixture
async def harness(
    url: str, administration: Administration, request: pytest.FixtureRequest
) -> AsyncIterator[DatabaseHarness]:
    settings = getattr(request, "param", {})
    async with DatabaseHarness(url, administration, **settings) as opened:
        yield opened
