"""Fixtures of HTTP's tests."""

import pytest

from tests.databases import Kind, find_kind
from tests.http.fixtures import StoreFixture, make_fixture
from tests.service import Service


@pytest.fixture(scope="session", params=["sqlite"])
def database_kind(request: pytest.FixtureRequest) -> Kind:
    """SQLite: the contract is shown for every kind, and `test_against_model` on both over HTTP."""
    return find_kind(request)


@pytest.fixture
def fixture(service: Service) -> StoreFixture:
    """A store of the test's own in the module's service."""
    return make_fixture(service)
