"""The blocks of docs/backup.md on PostgreSQL: a dump, and recovery to a point in time."""

from pathlib import Path

import httpx

from plantstore.databases import migrate
from tests.cli.program import Program
from tests.contents import contents
from tests.docs.pages import read_blocks
from tests.postgres.server import PROGRAMS, PostgresServer
from tests.service import Service
from tests.waiting import wait_until

BACKUPS = "/var/backups/plantstore"
TARGET = "2030-12-31 23:59:59+00"


def run_block(block: str, folder: Path, **environ: str) -> None:
    """Run a block of the page, with another folder for backups."""
    script = block.replace(BACKUPS, str(folder))
    result = Program(folder, environ).in_shell(f"set -e\nPATH='{PROGRAMS}':\"$PATH\"\n{script}")
    assert result.status == 0, result


def create(client: httpx.Client, *ids: int) -> str:
    """Create plants; return the ETag of the list."""
    for plant_id in ids:
        assert client.post("/plants", json={"id": plant_id, "name": "Ficus"}).is_success
    etag: str = client.get("/plants").headers["etag"]
    return etag


def assert_restored(folder: Path, url: str, token: str, etag: str, ids: list[int]) -> None:
    """Fail unless a service on the restored database has these plants, under another ETag."""
    with Service(folder, database=url) as service, service.client(token) as client:
        listed = client.get("/plants?include=id")
        assert [plant["id"] for plant in listed.json()] == ids
        new_etag = create(client, 99)
        changed = client.get("/plants", headers={"If-None-Match": etag})
        assert changed.status_code == 200
        assert changed.headers["etag"] == new_etag != etag


def test_a_dump_is_restored(postgres_server: PostgresServer, tmp_path: Path) -> None:
    dump, restore = read_blocks("backup.md", "Dump")
    restored = postgres_server.make_database()
    with postgres_server.fresh() as url, Service(tmp_path, database=url) as service:
        token = service.make_token()
        with service.client(token) as client:
            create(client, 1)
            run_block(dump, tmp_path, PLANTSTORE_DATABASE=url)
            before = contents(url)
            etag = create(client, 2)
    run_block(restore, tmp_path, RESTORED=restored)
    after = contents(restored)
    assert after.pop("stores") != before.pop("stores")  # their revisions
    assert after == before
    assert_restored(tmp_path, restored, token, etag, [1])


def test_a_database_is_restored_to_a_point_in_time(tmp_path: Path) -> None:
    archive, recovery = (
        block.replace(BACKUPS, str(tmp_path))
        for block in read_blocks("backup.md", "Any point in time", kind="ini")
    )
    base_backup, finish = read_blocks("backup.md", "Any point in time")
    (tmp_path / "wal").mkdir()
    with PostgresServer(tmp_path / "first", *archive.splitlines()) as server:
        url = server.make_database()
        migrate(url)
        run_block(base_backup, tmp_path, PLANTSTORE_DATABASE=url)
        with Service(tmp_path, database=url) as service:
            token = service.make_token()
            with service.client(token) as client:
                create(client, 1, 2)
                ((moment,),) = server.execute("SELECT clock_timestamp()::text")
                etag = create(client, 3)
                assert client.delete("/plants/1").is_success
        ((segment,),) = server.execute("SELECT pg_walfile_name(pg_switch_wal())")
        wait_until((tmp_path / "wal" / str(segment)).exists)
    options = recovery.replace(TARGET, str(moment)).splitlines()
    with PostgresServer(tmp_path / "second", *options, base=tmp_path / "base") as recovered:
        wait_until(lambda: recovered.execute("SELECT pg_is_in_recovery()") == [(False,)])
        restored = recovered.url(url.rpartition("/")[2])
        run_block(finish, tmp_path, RESTORED=restored)
        assert_restored(tmp_path, restored, token, etag, [1, 2])
        program = Program(tmp_path, {"PLANTSTORE_DATABASE": restored})
        assert program.out("verify") == "ok: stores: 1, plants: 3, events: 3"
