"""A shard that moves to another server while its stores are served."""

from tests.faults.load import under_load, wait_until_acknowledged
from tests.features.citus.test_faults import assert_matches
from tests.postgres.citus import SHARD, CitusCluster
from tests.service import Service

MOVE = f"""
    SELECT citus_move_shard_placement(
        {SHARD}, '127.0.0.1', {{source}}, '127.0.0.1', {{target}}, 'force_logical')
"""


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
    assert_matches(service, {stores[0]: load_clients})
