"""Fixtures: a cluster whose servers a test may kill, its service, and a store on each worker."""

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
    """A cluster that syncs to disk; the service chooses ``synchronous_commit``."""
    options = ("fsync = on", "synchronous_commit = off", "client_connection_check_interval = 1s")
    with CitusCluster(tmp_path / "citus", *options) as cluster:
        yield cluster


@pytest.fixture
def service(cluster: CitusCluster, tmp_path: Path) -> Iterator[Service]:
    with cluster.fresh() as url, Service(tmp_path, database=url) as service:
        yield service


@pytest.fixture
def stores(cluster: CitusCluster, service: Service) -> list[str]:
    by_port: dict[int, str] = {}
    for number in range(100):
        name = f"store-{number}"
        service.make_token(name)
        by_port.setdefault(cluster.find_place(service.database, name), name)
        if len(by_port) == len(cluster.workers):
            return [by_port[worker.port] for worker in cluster.workers]
    raise AssertionError(by_port)
