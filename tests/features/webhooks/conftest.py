"""The fixtures of tests of webhooks: services that may send to this machine, and receivers."""

from collections.abc import Iterator

import httpx
import pytest

from tests.databases import Kind
from tests.features.access.http.access_calls import managing
from tests.features.webhooks.receiver import Receiver
from tests.http.conftest import database_kind, fixture
from tests.service import Service

__all__ = ["database_kind", "fixture"]

DELIVERY = "features.webhooks.delivery"
# Everything comes at once.
SETTINGS: dict[str, object] = {
    "webhook_allow_private": "true",
    f"{DELIVERY}._RETRIES": (0.1, 0.2, 0.3),
    f"{DELIVERY}._TICK_SECONDS": 0.2,
    f"{DELIVERY}._RETRY_SECONDS": 0.1,
    f"{DELIVERY}._WAIT_MS": 800,
    f"{DELIVERY}._RESTS": 1,
    f"{DELIVERY}._REST_SECONDS": 0.001,
}


@pytest.fixture(scope="session")
def service(database_kind: Kind, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A service whose webhooks may lead to this machine."""
    folder = tmp_path_factory.mktemp("webhooks")
    with (
        database_kind.fresh(folder) as url,
        Service(folder, database=url, settings=SETTINGS) as running,
    ):
        yield running


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    """A receiver that accepts all messages, unless a test changes its response."""
    with Receiver() as running:
        yield running


@pytest.fixture
def manager(service: Service, store: str) -> Iterator[httpx.Client]:
    with managing(service, store) as client:
        yield client
