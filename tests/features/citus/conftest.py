"""Fixtures: a cluster whose servers may be lost, served, with a store on each worker."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.postgres.citus import CitusCluster
from tests.service import Service

_NEED_A_CLUSTER = (
    "test_faults.py",
    "test_migrating.py",
    "test_moving.py",
    "test_plans.py",
)
collect_ignore = [] if "TEST_ON_CITUS" in os.environ else list(_NEED_A_CLUSTER)


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[CitusCluster]:
    """A cluster on a disk that it trusts; it leaves commits to the service."""
    options = ("fsync = on", "synchronous_commit = off", "client_connection_check_interval = 1s")
    with CitusCluster(tmp_path / "citus", *options) as running:
        yield running


@pytest.fixture
def service(cluster: CitusCluster, tmp_path: Path) -> Iterator[Service]:
    with cluster.fresh() as url, Service(tmp_path, database=url) as running:
        yield running


@pytest.fixture
def stores(cluster: CitusCluster, service: Service) -> list[str]:
    found: dict[int, str] = {}
    for number in range(100):
        name = f"store-{number}"
        service.make_token(name)
        found.setdefault(cluster.find_place(service.database, name), name)
        if len(found) == len(cluster.workers):
            return [found[worker.port] for worker in cluster.workers]
    raise AssertionError(found)
