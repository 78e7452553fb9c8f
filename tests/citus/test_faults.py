"""Servers of a cluster that are killed or silent under load, and shards that move meanwhile."""

import logging
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.faults.load import (
    LoadClient,
    assert_whole,
    body,
    under_load,
    wait_until_acknowledged,
    wait_until_refused,
)
from tests.postgres.citus import CitusCluster
from tests.service import Service
from tests.waiting import wait_until

NOT_WRITTEN, UNKNOWN = 50302, 50303
SHARD = """
    get_shard_id_for_distribution_column('revisions',
        (SELECT store_id FROM stores WHERE name = '{store}'))
"""
PLACE = f"SELECT nodeport FROM pg_dist_shard_placement WHERE shardid = {SHARD}"
MOVE = f"""
    SELECT citus_move_shard_placement(
        {SHARD}, '127.0.0.1', {{source}}, '127.0.0.1', {{target}}, 'force_logical')
"""


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[CitusCluster]:
    """A cluster on a disk that it trusts; it leaves commits to the service."""
    options = ("fsync = on", "synchronous_commit = off", "client_connection_check_interval = 1s")
    with CitusCluster(tmp_path / "citus", *options) as running:
        yield running


@pytest.fixture
def service(cluster: CitusCluster, tmp_path: Path) -> Iterator[Service]:
    """A service on the cluster."""
    with cluster.fresh() as url, Service(tmp_path, database=url) as running:
        yield running


@pytest.fixture
def stores(cluster: CitusCluster, service: Service) -> list[str]:
    """A store on each worker."""
    found: dict[int, str] = {}
    for number in range(100):
        name = f"store-{number}"
        service.make_token(name)
        found.setdefault(place_of(cluster, service, name), name)
        if len(found) == len(cluster.workers):
            return [found[worker.port] for worker in cluster.workers]
    raise AssertionError(found)


def place_of(cluster: CitusCluster, service: Service, store: str) -> int:
    """The port of the server that has the store."""
    database = service.database.rpartition("/")[2]
    ((port,),) = cluster.execute(PLACE.format(store=store), database=database)
    assert isinstance(port, int)
    return port


def wait_until_written(service: Service, token: str, plant_id: int) -> None:
    """Wait until the service takes a write, asked again and again; how long it was is logged."""
    began = time.monotonic()
    with service.client(token) as client:

        def is_written() -> bool:
            answer = client.post("/plants", json=body(plant_id))
            error = 0 if answer.is_success else answer.json()["error"]
            assert error in {0, 40004, NOT_WRITTEN, UNKNOWN}
            return error in {0, 40004}

        wait_until(is_written)
    logging.getLogger(__name__).info("resumed after %.2f s", time.monotonic() - began)


def assert_kept(service: Service, loads: dict[str, list[LoadClient]]) -> None:
    """Fail unless every store has what was acknowledged, and the service went through it all."""
    for store, load_clients in loads.items():
        assert_whole(service, store, load_clients)
        errors = {error for one in load_clients for error in one.refusals}
        assert errors <= {50301, NOT_WRITTEN, UNKNOWN}
    assert service.process.poll() is None
    assert "Traceback" not in service.log()


@pytest.mark.parametrize("end", ["killed", "frozen"])
def test_a_lost_worker_takes_only_its_own_stores_with_it(
    cluster: CitusCluster,
    service: Service,
    stores: list[str],
    end: str,
) -> None:
    worker = cluster.workers[0]
    with ExitStack() as stack:
        tokens = [service.make_token(store) for store in stores]
        loads = {
            store: stack.enter_context(under_load(service, token, 2))
            for store, token in zip(stores, tokens, strict=True)
        }
        lost, kept = loads.values()
        for load_clients in (lost, kept):
            wait_until_acknowledged(load_clients, 20)
        if end == "killed":
            worker.kill()
            wait_until_refused(lost, 3)
            wait_until_acknowledged(kept, 20)
            worker.start()
        else:
            with worker.frozen():
                wait_until_refused(lost, 2)
                wait_until_acknowledged(kept, 20)
        wait_until_written(service, tokens[0], 1)
        for load_clients in (lost, kept):
            wait_until_acknowledged(load_clients, 20)
    lost[0].acknowledged.add(1)
    assert_kept(service, loads)
    assert {error for one in kept for error in one.refusals} <= {50301}


def test_a_coordinator_that_is_killed_loses_nothing(
    cluster: CitusCluster,
    service: Service,
    stores: list[str],
) -> None:
    with ExitStack() as stack:
        tokens = [service.make_token(store) for store in stores]
        loads = {
            store: stack.enter_context(under_load(service, token, 2))
            for store, token in zip(stores, tokens, strict=True)
        }
        for _ in range(3):
            for load_clients in loads.values():
                wait_until_acknowledged(load_clients, 20)
            cluster.kill()
            for load_clients in loads.values():
                wait_until_refused(load_clients, 2)
            cluster.start()
        wait_until_written(service, tokens[0], 1)
        for load_clients in loads.values():
            wait_until_acknowledged(load_clients, 20)
    loads[stores[0]][0].acknowledged.add(1)
    assert_kept(service, loads)


def test_a_store_is_served_while_its_shard_moves(
    cluster: CitusCluster, service: Service, stores: list[str]
) -> None:
    database = service.database.rpartition("/")[2]
    first, second = (worker.port for worker in cluster.workers)
    with under_load(service, service.make_token(stores[0])) as load_clients:
        for source, target in ((first, second), (second, first)):
            wait_until_acknowledged(load_clients, 20)
            assert place_of(cluster, service, stores[0]) == source
            move = MOVE.format(store=stores[0], source=source, target=target)
            cluster.execute(move, database=database)
            assert place_of(cluster, service, stores[0]) == target
        wait_until_acknowledged(load_clients, 20)
    assert_kept(service, {stores[0]: load_clients})
