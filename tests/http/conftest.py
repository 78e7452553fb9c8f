"""Fixtures of the tests of HTTP."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.conftest import service  # they need the kinds below, and close before them
from tests.databases import Kind, find_kind
from tests.http.fixtures import StoreFixture, make_fixture
from tests.service import Service

__all__ = ["service"]

StartService = Callable[..., Service]


@pytest.fixture(scope="session", params=["sqlite"])
def database_kind(request: pytest.FixtureRequest) -> Kind:
    """SQLite only: the tests of the contract and `test_against_model` cover all databases."""
    return find_kind(request)


@pytest.fixture
def fixture(service: Service) -> StoreFixture:
    """A new store in the shared service."""
    return make_fixture(service)


@pytest.fixture
def start(tmp_path: Path, url: str) -> Iterator[StartService]:
    """Starts a service for one test, with settings."""
    with ExitStack() as stack:
        yield lambda **settings: stack.enter_context(
            Service(tmp_path, database=url, settings=settings)
        )
