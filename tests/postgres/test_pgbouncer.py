"""The service behind PgBouncer in transaction mode."""

import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import psycopg

from tests.http.blocking import fill_store
from tests.postgres.server import AS_USER, PostgresServer, free_port
from tests.service import Service
from tests.waiting import wait_until

# Fewer connections to the server than the service has, so that it switches them all the time.
_CONFIG = """
[databases]
* = host=127.0.0.1 port={server_port} user=postgres

[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 2
"""
_START_SECONDS = 30


@contextmanager
def pgbouncer(server: PostgresServer, folder: Path, database: str) -> Iterator[int]:
    """Run PgBouncer in front of the server; yield its port."""
    port = free_port()
    config = folder / "pgbouncer.ini"
    config.write_text(_CONFIG.format(server_port=server.port, port=port))
    command = [*AS_USER, "pgbouncer", "--quiet", str(config)]
    with (folder / "pgbouncer.log").open("wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log)
    try:
        wait_until(lambda: process.poll() is not None or _responds(server.url(database, port=port)))
        yield port
    finally:
        process.kill()
        process.wait(_START_SECONDS)


def _responds(url: str) -> bool:
    try:
        psycopg.connect(url).close()
    except psycopg.OperationalError:
        return False
    return True


def test_the_service_works_with_prepare_statements_false(
    postgres_server: PostgresServer, tmp_path: Path
) -> None:
    with postgres_server.fresh() as plain:
        name = plain.rpartition("/")[2]
        with pgbouncer(postgres_server, tmp_path, name) as port:
            url = postgres_server.url(name, port=port)
            settings = {"prepare_statements": "false"}
            with Service(tmp_path, database=url, settings=settings) as service:
                use_all_operations(service, Service(tmp_path, database=plain))
                assert "prepared statement" not in service.log()


def use_all_operations(service: Service, direct: Service) -> None:
    stores = [f"store-{number}" for number in range(3)]
    tokens = [service.make_token(store) for store in stores]
    for store in stores:
        fill_store(direct, store, 1000)
    with ThreadPoolExecutor() as pool:
        assert all(pool.map(lambda token: create_plants(service, token), tokens))
    for token in tokens:
        with service.client(token) as client:
            assert len(client.get("/plants?limit=10").json()) == 10
            assert len(client.get("/plants").json()) == 1100  # read from a snapshot
            assert client.delete("/plants/1").status_code == 204
            assert client.get("/plants?include=id&limit=1").json()[0]["id"] == 2


def create_plants(service: Service, token: str) -> bool:
    with service.client(token) as client:
        for number in range(1001, 1101):
            headers = {"Idempotency-Key": f"key-{number}"} if number % 10 == 0 else {}
            body = {"id": number, "name": "Fern"}
            assert client.post("/plants", json=body, headers=headers).status_code == 200
    return True
