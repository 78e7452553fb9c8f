"""Servers of a cluster that are killed or frozen under load."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import product
from pathlib import Path

import pytest

from tests.faults.load import (
    LoadClient,
    assert_consistent,
    under_load,
    wait_until_acknowledged,
    wait_until_refused,
)
from tests.postgres.citus import CitusCluster
from tests.postgres.test_crashes import wait_until_written
from tests.service import Service

NOT_WRITTEN, UNKNOWN = 50302, 50303


def assert_matches(service: Service, loads: dict[str, list[LoadClient]]) -> None:
    """Fail unless every store has all acknowledged writes, and the service is running."""
    for store, load_clients in loads.items():
        assert_consistent(service, store, load_clients)
        errors = {error for client in load_clients for error in client.refusals}
        assert errors <= {50301, NOT_WRITTEN, UNKNOWN}
    assert_alive(service)


def assert_alive(service: Service) -> None:
    """Fail if the process has ended, or has logged an unexpected error."""
    assert service.process.poll() is None
    assert "Traceback" not in service.log()


@pytest.fixture
def on_workers(cluster: CitusCluster, service: Service, tmp_path: Path) -> Iterator[list[Service]]:
    """A service for each worker, which connects to it instead of the coordinator."""
    name = service.database.rpartition("/")[2]
    with ExitStack() as stack:
        services = []
        for worker in cluster.workers:
            folder = tmp_path / str(worker.port)
            folder.mkdir()
            services.append(stack.enter_context(Service(folder, database=worker.url(name))))
        yield services


@contextmanager
def under_load_of_all(
    services: Sequence[Service], tokens: Sequence[str]
) -> Iterator[list[list[LoadClient]]]:
    """Two clients of each service with each token, service by service."""
    with ExitStack() as stack:
        yield [
            stack.enter_context(under_load(service, token, 2, first=2 * number))
            for number, (service, token) in enumerate(product(services, tokens))
        ]


@pytest.mark.parametrize("end", ["killed", "frozen"])
def test_a_lost_worker_affects_only_its_own_stores(
    cluster: CitusCluster, service: Service, stores: list[str], end: str
) -> None:
    worker, tokens = cluster.workers[0], [service.make_token(store) for store in stores]
    with under_load_of_all([service], tokens) as (on_lost_worker, on_other_worker):
        for load_clients in (on_lost_worker, on_other_worker):
            wait_until_acknowledged(load_clients, 20)
        if end == "killed":
            worker.kill()
            wait_until_refused(on_lost_worker, 3)
            wait_until_acknowledged(on_other_worker, 20)
            worker.start()
        else:
            with worker.frozen():
                wait_until_refused(on_lost_worker, 2)
                wait_until_acknowledged(on_other_worker, 20)
        wait_until_written(service, tokens[0], 1)
        for load_clients in (on_lost_worker, on_other_worker):
            wait_until_acknowledged(load_clients, 20)
    on_lost_worker[0].acknowledged.add(1)
    assert_matches(service, dict(zip(stores, (on_lost_worker, on_other_worker), strict=True)))
    assert {error for client in on_other_worker for error in client.refusals} <= {50301}


def test_a_killed_coordinator_loses_no_acknowledged_write(
    cluster: CitusCluster, service: Service, stores: list[str]
) -> None:
    tokens = [service.make_token(store) for store in stores]
    with under_load_of_all([service], tokens) as loads:
        for _ in range(3):
            for load_clients in loads:
                wait_until_acknowledged(load_clients, 20)
            cluster.kill()
            for load_clients in loads:
                wait_until_refused(load_clients, 2)
            cluster.start()
        wait_until_written(service, tokens[0], 1)
        for load_clients in loads:
            wait_until_acknowledged(load_clients, 20)
    loads[0][0].acknowledged.add(1)
    assert_matches(service, dict(zip(stores, loads, strict=True)))


def test_services_on_workers_need_no_coordinator(
    cluster: CitusCluster, service: Service, stores: list[str], on_workers: list[Service]
) -> None:
    tokens = [service.make_token(store) for store in stores]
    with under_load_of_all(on_workers, tokens) as loads:
        for load_clients in loads:
            wait_until_acknowledged(load_clients, 5)
        cluster.kill()
        for load_clients in loads:
            wait_until_acknowledged(load_clients, 20)
        cluster.start()
    for number, store in enumerate(stores):
        assert_consistent(service, store, loads[number] + loads[number + 2])
    assert {error for load in loads for client in load for error in client.refusals} <= {50301}
