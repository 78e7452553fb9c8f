"""Fixtures: one server process for the whole run, and a store of its own for each test."""

import itertools
from collections.abc import Iterator

import httpx
import pytest

from tests.postgres.server import PostgresServer
from tests.service import Service

_numbers = itertools.count(1)


@pytest.fixture(scope="session", params=["sqlite", "postgres"])
def service(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Service]:
    """A running service on each kind of database, shared by tests that need only stores."""
    folder = tmp_path_factory.mktemp("service")
    if request.param == "sqlite":
        with Service(folder) as running:
            yield running
        return
    server: PostgresServer = request.getfixturevalue("postgres_server")
    with server.fresh() as url, Service(folder, database=url) as running:
        yield running


@pytest.fixture(scope="session")
def postgres_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PostgresServer]:
    """A running PostgreSQL, shared by tests that only need databases of their own."""
    with PostgresServer(tmp_path_factory.mktemp("postgres")) as running:
        yield running


@pytest.fixture
def store() -> str:
    """A store's name that no other test uses."""
    return f"store-{next(_numbers)}"


@pytest.fixture
def token(service: Service, store: str) -> str:
    """A token of the store's owner."""
    return service.make_token(store, f"owner-of-{store}")


@pytest.fixture
def client(service: Service, token: str) -> Iterator[httpx.Client]:
    """A client of the store's owner."""
    with service.client(token) as authorised:
        yield authorised
