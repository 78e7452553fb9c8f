"""Fixtures of HTTP's tests."""

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
    """SQLite: the contract's tests cover all kinds, and `test_against_model` both over HTTP."""
    return find_kind(request)


@pytest.fixture
def fixture(service: Service) -> StoreFixture:
    """A store of the test's own in the module's service."""
    return make_fixture(service)


@pytest.fixture
def start(tmp_path: Path, url: str) -> Iterator[StartService]:
    """Starts a service of the test's own, with settings."""
    with ExitStack() as stack:
        yield lambda **settings: stack.enter_context(
            Service(tmp_path, database=url, settings=settings)
        )
