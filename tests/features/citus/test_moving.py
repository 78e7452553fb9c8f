"""Shards that move to another server while their stores are served."""

from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager

import pytest

from tests.faults.load import LoadClient, under_load, wait_until_acknowledged
from tests.features.citus.test_faults import assert_kept
from tests.postgres.citus import SHARD, CitusCluster
from tests.service import Service

MOVE = f"""
    SELECT citus_move_shard_placement(
        {SHARD}, '127.0.0.1', {{source}}, '127.0.0.1', {{target}}, 'force_logical')
"""
MODES = ("force_logical", "block_writes")
REBALANCE = "SELECT citus_rebalance_start(shard_transfer_mode => '{mode}')"
WAIT = "SELECT citus_rebalance_wait()"


@contextmanager
def loaded_stores(service: Service) -> Iterator[dict[str, list[LoadClient]]]:
    """A client of each of eight stores; each store is kept, and its writes go on at the end."""
    tokens = {store: service.make_token(store) for store in map(str, range(8))}
    with ExitStack() as stack:
        loads = {
            store: stack.enter_context(under_load(service, token, 1))
            for store, token in tokens.items()
        }
        yield loads
        for load_clients in loads.values():
            wait_until_acknowledged(load_clients, 5)
    assert_kept(service, loads)


def test_a_store_is_served_while_its_shard_moves(
    cluster: CitusCluster, service: Service, stores: list[str]
) -> None:
    database = service.database.rpartition("/")[2]
    first, second = (worker.port for worker in cluster.workers)
    with under_load(service, service.make_token(stores[0])) as load_clients:
        for source, target in ((first, second), (second, first)):
            wait_until_acknowledged(load_clients, 20)
            assert cluster.find_place(service.database, stores[0]) == source
            move = MOVE.format(store=stores[0], source=source, target=target)
            cluster.execute(move, database=database)
            assert cluster.find_place(service.database, stores[0]) == target
        wait_until_acknowledged(load_clients, 20)
    assert_kept(service, {stores[0]: load_clients})


@pytest.mark.parametrize("mode", MODES)
def test_stores_are_served_while_shards_move_to_a_new_worker(
    cluster: CitusCluster, service: Service, mode: str
) -> None:
    database = service.database.rpartition("/")[2]
    with loaded_stores(service) as loads:
        cluster.add_worker(service.database)
        cluster.execute(REBALANCE.format(mode=mode), WAIT, database=database)
    assert cluster.workers[-1].port in _places(cluster, service, loads)


@pytest.mark.parametrize("mode", MODES)
def test_stores_are_served_while_a_worker_is_drained_and_removed(
    cluster: CitusCluster, service: Service, mode: str
) -> None:
    with loaded_stores(service) as loads:
        assert cluster.workers[0].port in _places(cluster, service, loads)
        cluster.remove_worker(service.database, mode)
    assert _places(cluster, service, loads) == {cluster.workers[0].port}


def _places(cluster: CitusCluster, service: Service, stores: Iterable[str]) -> set[int]:
    return {cluster.find_place(service.database, store) for store in stores}
