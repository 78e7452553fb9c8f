"""Fixtures: a service behind a network that can fail."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.postgres.lines import Line, line
from tests.postgres.server import PostgresServer

SETTINGS = {"database_timeout": 1, "write_timeout": 1}


@pytest.fixture
def wire(postgres_server: PostgresServer, tmp_path: Path) -> Iterator[Line]:
    """A service behind a network that can fail."""
    with line(postgres_server, tmp_path, SETTINGS) as opened:
        yield opened


@pytest.fixture
def client(wire: Line) -> Iterator[httpx.Client]:
    """A client of the service."""
    with wire.service.client(wire.token) as opened:
        yield opened
