"""``plantstore distribute`` keeps existing rows, and later migrations reach every shard."""

from pathlib import Path

from tests.cli.program import PLANTSTORE, Program
from tests.next_version import NEWEST, next_program
from tests.postgres.citus import CitusCluster
from tests.postgres.test_migrating import INDEX
from tests.service import Service

DISTRIBUTED = "SELECT count(*) FROM pg_dist_partition WHERE partmethod = 'h'"
NEXT = NEWEST["postgres"] + 1
SHOW_SHARDS = "SET citus.show_shards_for_app_name_prefixes = '*'"
VALID = (
    "SELECT bool_and(indisvalid), count(*) FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid"
    " WHERE relname ~ '^plants_by_name_[0-9]+$'"
)
MIGRATION = "ALTER TABLE plants ADD COLUMN height integer DEFAULT 7;"


def test_a_database_with_rows_is_distributed_and_migrated(
    postgres_server: CitusCluster, tmp_path: Path
) -> None:
    url = postgres_server.make_database()
    name = url.rpartition("/")[2]
    program = Program(tmp_path, {"PLANTSTORE_DATABASE": url})
    program.out("migrate")
    with Service(tmp_path, database=url) as service:
        token = service.make_token()
        with service.client(token) as client:
            assert client.post("/plants", json={"id": 1, "name": "Fern"}).is_success
    assert postgres_server.execute(DISTRIBUTED, database=name) == [(0,)]
    assert program.run("distribute").err == "the tables are distributed\n"
    newer = next_program(program, MIGRATION, "postgres")
    assert newer.run("migrate").out == f"applied migration {NEXT} (next)\n"
    ((tables,),) = postgres_server.execute(DISTRIBUTED, database=name)
    assert tables == 9
    command = ("env", f"PYTHONPATH={newer.environ['PYTHONPATH']}", *PLANTSTORE)
    with (
        Service(tmp_path, database=url, command=command) as service,
        service.client(token) as client,
    ):
        assert client.post("/plants", json={"id": 2, "name": "Aloe"}).is_success
        assert client.get("/plants").json() == [{"name": "Fern"}, {"name": "Aloe"}]
    heights = postgres_server.execute("SELECT DISTINCT height FROM plants", database=name)
    assert heights == [(7,)]


def test_an_index_of_a_large_table_is_built_on_each_shard(
    postgres_server: CitusCluster, tmp_path: Path
) -> None:
    with postgres_server.fresh() as url:
        program = Program(tmp_path, {"PLANTSTORE_DATABASE": url})
        newer = next_program(program, INDEX, "postgres")
        for _ in range(2):
            assert newer.run("migrate").out == f"applied migration {NEXT} (next)\n"
            name = url.rpartition("/")[2]
            indexes = [
                worker.execute(SHOW_SHARDS, VALID, database=name)
                for worker in postgres_server.workers
            ]
            assert indexes == 2 * [[(True, 2)]]
            delete = f"DELETE FROM schema_migrations WHERE number = {NEXT}"  # as after a kill
            postgres_server.execute(delete, database=name)
