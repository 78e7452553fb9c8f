"""``plantstore distribute`` keeps existing rows."""

from pathlib import Path

from tests.cli.program import PLANTSTORE, Program
from tests.next_version import NEWEST, next_program
from tests.postgres.citus import CitusCluster
from tests.service import Service

DISTRIBUTED = "SELECT count(*) FROM pg_dist_partition WHERE partmethod = 'h'"
NEXT = NEWEST["postgres"] + 1
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
