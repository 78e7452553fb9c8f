"""Fixtures of HTTP's tests."""

import pytest

from tests.http.fixtures import StoreFixture, make_fixture
from tests.service import Service


@pytest.fixture
def fixture(service: Service) -> StoreFixture:
    """A store of the test's own in the module's service."""
    return make_fixture(service)
