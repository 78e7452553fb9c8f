"""Fixtures: one server process for the whole run, and a store of its own for each test."""

import itertools
from collections.abc import Iterator

import httpx
import pytest

from tests.service import Service

_numbers = itertools.count(1)


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A running service, shared by tests that only need stores of their own."""
    with Service(tmp_path_factory.mktemp("service")) as running:
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
