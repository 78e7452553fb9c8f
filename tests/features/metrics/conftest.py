"""Fixtures: a service with metrics on each kind of database."""

from collections.abc import Iterator

import pytest

from tests.databases import Kind
from tests.features.metrics.scraping import metered
from tests.service import Service


@pytest.fixture(scope="package")
def metered_service(
    database_kind: Kind, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Service]:
    """A running service with metrics, shared by tests that check only growth."""
    folder = tmp_path_factory.mktemp("metered")
    with database_kind.fresh(folder) as url, metered(folder, database=url) as service:
        yield service
