"""``plantstore restore``: all is back, nothing else is lost, and no client is misled."""

import gzip
import os
import shutil
import stat
import threading
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from plantstore.core.model import NewPlant, Role
from plantstore.sqlite import connection
from plantstore.sqlite.file_lock import FileLock
from plantstore.sqlite.session import SQLiteSession
from tests.administration import open_administration
from tests.cli.program import Program
from tests.cli.test_check import FOREIGN, file_of, unchanged
from tests.contents import contents, select
from tests.databases import execute
from tests.features.backups.test_backup import url_of
from tests.next_version import NEWEST, next_program
from tests.service import Service
from tests.waiting import wait_until


def served(program: Program) -> Service:
    return Service(program.folder, database=program.database)


def names_of(url: str) -> list[object]:
    return [row[2] for row in contents(url)["plants"]]


@pytest.fixture
def backup(program: Program) -> Path:
    """A backup with the plant ``kept``, which the database has no more, but another one."""
    file = program.folder / "plants.backup"
    with served(program) as service, service.client(service.make_token()) as client:
        assert client.post("/plants", json={"id": 1, "name": "kept"}).is_success
        program.out("backup", str(file))
        assert client.delete("/plants/1").is_success
        assert client.post("/plants", json={"id": 1, "name": "later"}).is_success
    return file


def test_all_is_back_and_no_etag_is_used_again(program: Program) -> None:
    seen = []
    file = program.folder / "plants.backup"
    with served(program) as service:
        token = service.make_token()
        with service.client(token) as client:
            for plant_id in range(5):
                assert client.post("/plants", json={"id": plant_id, "name": "old"}).is_success
                seen.append(client.get("/plants").headers["etag"])
                if plant_id == 2:
                    program.out("backup", str(file))
    program.out("restore", str(file), "--yes")
    with served(program) as service, service.client(token) as client:
        for plant_id in range(10, 14):
            listed = client.get("/plants", headers={"If-None-Match": ", ".join(seen)})
            assert listed.status_code == 200
            assert listed.headers["etag"] not in seen
            assert listed.headers["x-total-count"] == str(plant_id - 10 + 3)
            assert client.post("/plants", json={"id": plant_id, "name": "new"}).is_success
        # Of what happened between the backup and the restore there is no event.
        assert select(program.database, "SELECT trimmed FROM revisions") > [(4,)]
        first, *_, last = [event.revision for event in service.events("nursery")]
        assert first == 1
        assert last < 2**53


@pytest.mark.parametrize("killed", [False, True], ids=["stopped", "killed"])
def test_the_old_database_is_kept(program: Program, backup: Path, *, killed: bool) -> None:
    if killed:
        with served(program) as service:
            service.make_token("meadow")
            service.kill()
        assert file_of(program).with_name("plants.db-wal").stat().st_size > 0
    content = backup.read_bytes()
    restored = program.data("restore", str(backup), "--yes")
    assert (restored["stores"], restored["plants"], restored["migrations"]) == (1, 1, [])
    assert names_of(program.database) == ["kept"]
    kept = contents(url_of(Path(restored["kept"])))
    assert [row[2] for row in kept["plants"]] == ["later"]
    assert len(kept["stores"]) == 1 + killed
    assert backup.read_bytes() == content


def test_a_database_that_is_broken_is_kept_with_its_wal(program: Program, backup: Path) -> None:
    with served(program) as service:
        service.make_token("meadow")
        service.kill()
    file, broken = file_of(program), b"broken" * 1000
    wal = file.with_name("plants.db-wal").read_bytes()
    assert wal
    file.write_bytes(broken)
    restored = program.data("restore", str(backup), "--yes")
    assert restored["revocations"] is None
    kept = Path(restored["kept"])
    assert (kept.read_bytes(), kept.with_name(f"{kept.name}-wal").read_bytes()) == (broken, wal)
    assert names_of(program.database) == ["kept"]


def test_a_backup_that_would_change_data_by_itself_is_refused(
    program: Program, backup: Path
) -> None:
    execute(url_of(backup), FOREIGN["trigger widen"])
    with unchanged(file_of(program).parent):
        refused = program.refusal("restore", str(backup), "--yes")
    assert f"nothing was restored from {backup}: another program has changed the schema" in refused
    execute(program.database, FOREIGN["trigger widen"])
    assert "trigger widen" in program.refusal("restore", "--in-place")


def test_access_that_was_taken_away_since_the_backup_stays_so(program: Program) -> None:
    program.make_store("meadow")
    made = ("token", "create", "--create", "--store", "nursery", "--expires", "never", "--user")
    secrets = {
        user: program.out(*made, user) for user in ("ada", "bea", "cyd", "dee", "eve", "old", "fay")
    }
    tokens = {token["user"]: token["id"] for token in program.data("token", "list")}
    columns = "store_id, code_hash, user_id, scopes, label, expires_at"
    fay = "(SELECT user_id FROM users WHERE subject = 'fay')"
    values = f"(SELECT min(store_id) FROM members), $1, {fay}, 'list', '', $2"
    sql = f"INSERT INTO links ({columns}) VALUES ({values})"
    execute(program.database, sql, [(bytes(32), 2**50)])
    backup = program.folder / "plants.backup"
    program.out("backup", str(backup))
    program.out("token", "revoke", tokens["ada"])
    program.out("token", "rotate", tokens["bea"], "--grace", "0")
    with closing(open_administration(program.database)) as administration:
        administration.remove_member("nursery", "cyd")
        administration.add_member("nursery", "dee", Role.READER)
        administration.delete_store("meadow")
    for table in ("tokens", "members", "users"):
        eve = "(SELECT user_id FROM users WHERE subject = 'eve')"
        execute(program.database, f"DELETE FROM {table} WHERE user_id = {eve}")
    old = "(SELECT user_id FROM users WHERE subject = 'old')"
    execute(program.database, f"DELETE FROM tokens WHERE user_id = {old}")
    done = program.run("restore", str(backup), "--yes")
    assert "re-applied revocations made after the backup: tokens: 4, members: 2" in done.err
    assert "users deleted after the backup are back, without tokens: eve" in done.err
    with served(program) as service:
        statuses = {user: service.status_of(secret) for user, secret in secrets.items()}
        with service.client(secrets["dee"]) as dee:
            assert dee.post("/plants", json={"id": 1, "name": "Fern"}).status_code == 403
    refused = {"ada": 401, "bea": 401, "cyd": 404, "eve": 401, "old": 401}
    assert statuses == {**refused, "dee": 200, "fay": 200}
    with closing(open_administration(program.database)) as administration:
        assert [store.name for store in administration.list_stores()] == ["meadow", "nursery"]
    assert select(program.database, "SELECT * FROM links") == []  # they may have been used
    again = program.data("restore", str(backup), "--yes")
    assert again["revocations"] == {"tokens": 4, "members": 2, "users": []}


def test_a_database_with_other_stores_takes_no_access_away(program: Program, backup: Path) -> None:
    """As where the machine was lost, and a service has been started on the new one."""
    new = ("--database", url_of(program.folder / "new.db"))
    program.out(*new, "migrate")
    program.out(*new, "token", "create", "--create", "--store", "orchard", "--user", "eve")
    done = program.run(*new, "restore", str(backup), "--yes")
    assert done.status == 0
    assert "access" not in done.err
    states = {token["state"] for token in program.data(*new, "token", "list")}
    assert states == {"active"}


def test_a_missing_database_is_created(program: Program, backup: Path) -> None:
    there = program.folder / "there"
    database = ("--database", url_of(there / "plants.db"))
    assert f"there is no folder {there}" in program.refusal(*database, "restore", str(backup))
    there.mkdir()
    done = program.run(*database, "restore", str(backup))
    assert done.err.startswith(f"restored {there}/plants.db: stores: 1, plants: 1\n")
    assert done.err.count("\n") == 1
    assert {path.name for path in there.iterdir()} == {"plants.db", "plants.db-lock"}
    assert stat.S_IMODE((there / "plants.db").stat().st_mode) == 0o600


def test_while_it_is_served_nothing_is_replaced(program: Program, backup: Path) -> None:
    with served(program) as service, service.client(service.make_token()) as client:
        for _ in range(2):
            said = program.refusal("restore", str(backup), "--yes")
            assert f"{file_of(program)} is in use: stop the service" in said
            # You need not stop it to learn that the backup is not there.
            assert "there is no such file" in program.refusal("restore", "missing.db")
            assert client.post("/plants", json={"id": 2, "name": "on"}).status_code in {200, 400}
        assert client.get("/readyz").is_success
    assert names_of(program.database) == ["later", "on"]
    assert not [path for path in file_of(program).parent.iterdir() if "replaced" in path.name]
    program.out("restore", str(backup), "--yes")


def test_who_begins_during_a_restore_uses_what_is_restored(
    program: Program, backup: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A restore holds this lock while it replaces the file."""
    monkeypatch.setattr(connection, "_RESTORE_TIMEOUT", 60)
    program.out("--database", url_of(program.folder / "restored.db"), "restore", str(backup))
    file, plants = file_of(program), list[object]()

    def begin() -> None:
        with closing(SQLiteSession(url_of(file))) as session:
            plants.append(NewPlant(*session.query("find_plant", 1, 1)[0]).name)

    with FileLock(file) as lock, lock.held():
        begins = threading.Thread(target=begin)
        begins.start()
        wait_until(lambda: plants or _count_opened(f"{file}-lock") == 2)
        for end in ("-wal", "-shm"):
            file.with_name(file.name + end).unlink(missing_ok=True)
        (program.folder / "restored.db").replace(file)
    begins.join(60)
    assert plants == ["kept"]


def _count_opened(path: str) -> int:
    """How many descriptors of this process are of a file."""
    return [os.path.realpath(found) for found in Path("/proc/self/fd").iterdir()].count(path)


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        ("truncated", "it is damaged or truncated: "),
        ("compressed", "it is not a SQLite database; is it encrypted or compressed?"),
        ("foreign", "is a SQLite database of another program"),
        ("empty", "it is empty"),
        ("folder", "it is not a file"),
        ("missing", "there is no such file"),
    ],
)
def test_what_is_no_good_backup_is_refused(
    program: Program, backup: Path, damage: str, reason: str
) -> None:
    content = backup.read_bytes()
    damaged = {"truncated": content[:-8192], "compressed": gzip.compress(content), "empty": b""}
    backup.unlink()
    if damage == "foreign":
        with closing(apsw.Connection(str(backup))) as foreign:
            foreign.execute("CREATE TABLE other (x)")
    elif damage == "folder":
        backup.mkdir()
    elif damage != "missing":
        backup.write_bytes(damaged[damage])
    with unchanged(program.folder / "data"):
        # It asks nothing about a backup that is not there.
        said = program.refusal("restore", str(backup), *["--yes"][damage == "missing" :])
    assert said.startswith(f"Error: nothing was restored from {backup}: ")
    assert reason in said


def test_a_newer_schema_is_refused(program: Program, backup: Path) -> None:
    newer = program.folder / "newer.db"
    shutil.copy(backup, newer)
    later = next_program(program)
    later.out("--database", url_of(newer), "migrate")
    with unchanged(program.folder / "data"):
        said = program.refusal("restore", str(newer), "--yes")
    assert "newer than this program's" in said


def test_an_older_schema_is_migrated(program: Program, backup: Path) -> None:
    content = backup.read_bytes()
    later = next_program(program)
    done = later.run("restore", str(backup), "--yes")
    assert f"applied to the restored database: migrations {NEWEST['sqlite'] + 1}" in done.err
    assert backup.read_bytes() == content
    assert select(program.database, "SELECT plants FROM revisions") == [(1,)]


def test_it_asks_before_it_replaces(program: Program, backup: Path) -> None:
    with unchanged(program.folder / "data"):
        assert "give --yes" in program.refusal("restore", str(backup))
        done = program.run("restore", str(backup), stdin="n\n")
    assert done.status == 1
    assert f"Replace {file_of(program)} by {backup}? [y/N]: " in done.err
    assert program.run("restore", str(backup), stdin="y\n").status == 0


def test_either_a_backup_or_in_place(program: Program, backup: Path) -> None:
    program.refusal("restore", status=2)
    program.refusal("restore", str(backup), "--in-place", status=2)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files away")
@pytest.mark.parametrize("owner", [0, 12345])
def test_the_owner_is_the_old_ones_or_the_folders(
    program: Program, backup: Path, owner: int
) -> None:
    file = file_of(program)
    os.chown(file.parent, 23456, 23456)
    os.chown(file, owner, owner)
    file.chmod(0o640)
    program.out("restore", str(backup), "--yes")
    found = file.stat()
    assert (found.st_uid, stat.S_IMODE(found.st_mode)) == (owner or 23456, 0o640)
    assert file.with_name("plants.db-lock").stat().st_uid == found.st_uid
