"""The blocks of docs/worst-day.md, in order, against a service with two stores."""

from pathlib import Path

from tests.docs import pages
from tests.docs.pages import read_blocks
from tests.faults.small_disk import SmallDisk, small_disk
from tests.readiness import wait_for_readiness

IDS = range(1, 21)


def run_blocks(disk: SmallDisk, block: str) -> str:
    script = block.replace("http://127.0.0.1:8080", disk.service.origin)
    script = script.replace("/var/backups/plantstore", str(disk.program.folder / "backups"))
    return pages.run_blocks(disk.program, "exec 2>&1\n", script)


def test_the_commands_of_worst_day_md_run_in_order(tmp_path: Path) -> None:
    find_out, undo, restore, verify = read_blocks("worst-day.md", "Half of a store is gone")
    revoke, look = read_blocks("worst-day.md", "A laptop is stolen")
    (ready,) = read_blocks("worst-day.md", "The disk is full")
    with small_disk(tmp_path) as disk:
        service = disk.service
        ada, eve, mel = (
            service.make_token(*names)
            for names in (("nursery", "ada"), ("nursery", "eve"), ("meadow", "mel"))
        )
        (tmp_path / "backups").mkdir()
        with service.client(ada) as client, service.client(mel) as other:
            for number in IDS:
                assert client.post("/plants", json={"id": number, "name": "Fern"}).is_success
            assert other.post("/plants", json={"id": 1, "name": "Moss"}).is_success
            disk.program.out("backup", str(tmp_path / "backups"))
            etag = client.get("/plants").headers["etag"]
            all_plants = client.get("/plants?include=id").json()
            for token, block in ((eve, undo), (ada, restore)):
                with service.client(token) as deleter:
                    for number in IDS[:10]:
                        assert deleter.delete(f"/plants/{number}").is_success
                if block is undo:
                    assert "eve" in run_blocks(disk, find_out)
                assert "would change plants of nursery; added: 10" in run_blocks(disk, block)
                assert client.get("/plants?include=id").json() == all_plants
            changed = client.get("/plants", headers={"If-None-Match": etag})
            assert changed.status_code == 200
            assert "ok: stores: 2, plants: 21" in run_blocks(disk, verify)
            run_blocks(disk, revoke)
            assert service.status_of(eve) == 401
            output = run_blocks(disk, look)
            assert "plant.deleted" in output
            assert "token revoke" in output
            disk.fill()
            wait_for_readiness(service, 503)
            assert "the disk is full" in run_blocks(disk, ready)
            assert other.get("/plants").json() == [{"name": "Moss"}]
            disk.make_room()
            wait_for_readiness(service, 200)
            assert '"ready"' in run_blocks(disk, ready)
