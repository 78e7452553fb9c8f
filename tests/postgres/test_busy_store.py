"""Who waits for a store that somebody holds up, holds up nobody who writes to another one."""

import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psycopg

from tests.faults.planters import body
from tests.postgres.server import PostgresServer
from tests.service import Service

LOCK = "SELECT FROM revisions JOIN stores USING (store_id) WHERE name = 'busy' FOR UPDATE"


def create(service: Service, token: str, plant_id: int) -> int:
    with service.client(token) as client:
        return client.post("/plants", json=body(plant_id)).status_code


def test_writes_to_other_stores_do_not_wait(
    postgres_server: PostgresServer, tmp_path: Path
) -> None:
    with (
        postgres_server.fresh() as url,
        Service(tmp_path, database=url) as service,
        ThreadPoolExecutor() as pool,
    ):
        busy, free = map(service.make_token, ("busy", "free"))
        with psycopg.connect(url) as holder:
            holder.execute(LOCK)
            waiting = []
            for number in range(3):
                waiting.append(pool.submit(create, service, busy, number))
                time.sleep(0.2)  # the first is under way when the others come
            assert create(service, free, 1) == 200
            assert not any(future.done() for future in waiting)
        assert [future.result() for future in waiting] == 3 * [200]
