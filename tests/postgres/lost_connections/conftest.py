"""Fixtures: a service behind a network that can fail."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.postgres.proxied import ProxiedService, proxied_service
from tests.postgres.server import PostgresServer

SETTINGS = {"database_timeout": 1, "write_timeout": 1}


@pytest.fixture
def proxied(postgres_server: PostgresServer, tmp_path: Path) -> Iterator[ProxiedService]:
    with proxied_service(postgres_server, tmp_path, SETTINGS) as opened:
        yield opened


@pytest.fixture
def client(proxied: ProxiedService) -> Iterator[httpx.Client]:
    with proxied.service.client(proxied.token) as opened:
        yield opened
