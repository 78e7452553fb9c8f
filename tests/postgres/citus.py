"""A cluster of Citus: a coordinator and two workers, each a real PostgreSQL with the extension."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Self

from plantstore.postgres.connection import migrate
from tests.postgres.server import PostgresServer

OPTIONS = (
    "shared_preload_libraries = 'citus'",
    "citus.node_conninfo = 'sslmode=disable'",
    "max_prepared_transactions = 400",
    "wal_level = logical",  # to move shards
    "lock_timeout = 10s",
)
_FEW_SHARDS = "citus.shard_count = 4"  # of each table: the default, 32, takes tests seconds
SHARD = """
    get_shard_id_for_distribution_column('revisions',
        (SELECT store_id FROM stores WHERE name = '{store}'))
"""
_PLACE = f"SELECT nodeport FROM pg_dist_shard_placement WHERE shardid = {SHARD}"


class CitusCluster(PostgresServer):
    """The coordinator of two ``workers``. Its databases are distributed."""

    distribution = "citus"

    def __init__(self, folder: Path, *options: str) -> None:
        options = (*OPTIONS, _FEW_SHARDS, *options)
        super().__init__(folder / "coordinator", *options)
        self.workers = [PostgresServer(folder / f"worker-{n}", *options) for n in range(2)]

    def __enter__(self) -> Self:
        self._running = ExitStack()
        for worker in self.workers:
            self._running.enter_context(worker)
        return super().__enter__()

    def __exit__(self, *error: object) -> None:
        with self._running:
            super().__exit__(*error)

    def make_database(self) -> str:
        """The URL of a new database on all of them, empty."""
        url = super().make_database()
        name = url.rpartition("/")[2]
        coordinator = f"SELECT citus_set_coordinator_host('127.0.0.1', {self.port})"
        self.execute("CREATE EXTENSION citus", coordinator, database=name)
        for worker in self.workers:
            worker.execute(f"CREATE DATABASE {name}")
            worker.execute("CREATE EXTENSION citus", database=name)
            self.execute(f"SELECT citus_add_node('127.0.0.1', {worker.port})", database=name)
        return url

    def find_place(self, url: str, store: str) -> int:
        database = url.rpartition("/")[2]
        ((port,),) = self.execute(_PLACE.format(store=store), database=database)
        assert isinstance(port, int)
        return port

    @contextmanager
    def fresh(self) -> Iterator[str]:
        url = self.make_database()
        migrate(url, distribution=self.distribution)
        try:
            yield url
        finally:
            name = url.rpartition("/")[2]
            for node in (self, *self.workers):
                node.execute(f"DROP DATABASE {name} WITH (FORCE)")
