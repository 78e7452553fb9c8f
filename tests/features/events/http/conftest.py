"""Fixtures of tests over HTTP."""

from collections.abc import Iterator

import pytest

from tests.databases import Kind
from tests.http.conftest import database_kind
from tests.service import Service

__all__ = ["database_kind"]


@pytest.fixture(scope="module")
def service(database_kind: Kind, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A service where no store is deleted: a new store's first revision is 1."""
    folder = tmp_path_factory.mktemp("events")
    with database_kind.fresh(folder) as url, Service(folder, database=url) as service:
        yield service
