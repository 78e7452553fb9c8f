"""Fixtures of tests over HTTP, and an owner's client."""

from collections.abc import Iterator

import httpx
import pytest

from tests.features.access.http.access_calls import managing, set_role
from tests.http.conftest import database_kind, fixture, service
from tests.service import Service

__all__ = ["database_kind", "fixture", "service"]


@pytest.fixture
def manager(service: Service, store: str) -> Iterator[httpx.Client]:
    """A client of the store's owner, who may manage the store; kiosk is its reader."""
    with managing(service, store) as client:
        set_role(client, "kiosk", "reader")
        yield client
