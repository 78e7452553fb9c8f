"""Fixtures of the tests over HTTP."""

from collections.abc import Iterator

import httpx
import pytest

from tests.http.calls import open_client
from tests.service import Service


@pytest.fixture
def client(service: Service, token: str) -> Iterator[httpx.Client]:
    """A client of the store's owner."""
    with open_client(service, token) as authorised:
        yield authorised
