"""``plantstore restore``: it restores all data, keeps the replaced database, reuses no ETag."""

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


def serve(program: Program) -> Service:
    return Service(program.folder, database=program.database)


def names_of(url: str) -> list[object]:
    return [row[2] for row in contents(url)["plants"]]


@pytest.fixture
def backup(program: Program) -> Path:
    """A backup with the plant ``kept``, which the database has since replaced by ``later``."""
    file = program.folder / "plants.backup"
    with serve(program) as service, service.client(service.make_token()) as client:
        assert client.post("/plants", json={"id": 1, "name": "kept"}).is_success
        program.out("backup", str(file))
        assert client.delete("/plants/1").is_success
        assert client.post("/plants", json={"id": 1, "name": "later"}).is_success
    return file


def test_all_plants_are_restored_and_no_etag_is_reused(program: Program) -> None:
    etags = []
    file = program.folder / "plants.backup"
    with serve(program) as service:
        token = service.make_token()
        with service.client(token) as client:
            for plant_id in range(5):
                assert client.post("/plants", json={"id": plant_id, "name": "old"}).is_success
                etags.append(client.get("/plants").headers["etag"])
                if plant_id == 2:
                    program.out("backup", str(file))
    program.out("restore", str(file), "--yes")
    with serve(program) as service, service.client(token) as client:
        for plant_id in range(10, 14):
            listed = client.get("/plants", headers={"If-None-Match": ", ".join(etags)})
            assert listed.status_code == 200
            assert listed.headers["etag"] not in etags
            assert listed.headers["x-total-count"] == str(plant_id - 10 + 3)
            assert client.post("/plants", json={"id": plant_id, "name": "new"}).is_success
        # Changes between the backup and the restore have no events.
        assert select(program.database, "SELECT trimmed FROM revisions") > [(4,)]
        first, *_, last = [event.revision for event in service.events("nursery")]
        assert first == 1
        assert last < 2**53


@pytest.mark.parametrize("killed", [False, True], ids=["stopped", "killed"])
def test_the_replaced_database_is_kept(program: Program, backup: Path, *, killed: bool) -> None:
    if killed:
        with serve(program) as service:
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


def test_a_corrupt_replaced_database_is_kept_with_its_wal(program: Program, backup: Path) -> None:
    with serve(program) as service:
        service.make_token("meadow")
        service.kill()
    file, corrupt = file_of(program), b"corrupt" * 1000
    wal = file.with_name("plants.db-wal").read_bytes()
    assert wal
    file.write_bytes(corrupt)
    restored = program.data("restore", str(backup), "--yes")
    assert restored["revocations"] is None
    kept = Path(restored["kept"])
    assert (kept.read_bytes(), kept.with_name(f"{kept.name}-wal").read_bytes()) == (corrupt, wal)
    assert names_of(program.database) == ["kept"]


def test_a_backup_with_a_foreign_trigger_is_refused(program: Program, backup: Path) -> None:
    execute(url_of(backup), FOREIGN["trigger widen"])
    with unchanged(file_of(program).parent):
        refused = program.refusal("restore", str(backup), "--yes")
    assert f"nothing was restored from {backup}: another program has changed the schema" in refused
    execute(program.database, FOREIGN["trigger widen"])
    assert "trigger widen" in program.refusal("restore", "--in-place")


def test_access_revoked_after_the_backup_stays_revoked(program: Program) -> None:
    program.make_store("meadow")
    create = ("token", "create", "--create", "--store", "nursery", "--expires", "never", "--user")
    secrets = {
        user: program.out(*create, user)
        for user in ("ada", "bea", "cyd", "dee", "eve", "old", "fay")
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
    result = program.run("restore", str(backup), "--yes")
    assert "re-applied revocations made after the backup: tokens: 4, members: 2" in result.err
    assert "users deleted after the backup are back, without tokens: eve" in result.err
    with serve(program) as service:
        statuses = {user: service.status_of(secret) for user, secret in secrets.items()}
        with service.client(secrets["dee"]) as dee:
            assert dee.post("/plants", json={"id": 1, "name": "Fern"}).status_code == 403
    refused = {"ada": 401, "bea": 401, "cyd": 404, "eve": 401, "old": 401}
    assert statuses == {**refused, "dee": 200, "fay": 200}
    with closing(open_administration(program.database)) as administration:
        assert [store.name for store in administration.list_stores()] == ["meadow", "nursery"]
    assert select(program.database, "SELECT * FROM links") == []  # the links may have been used
    again = program.data("restore", str(backup), "--yes")
    assert again["revocations"] == {"tokens": 4, "members": 2, "users": []}


def test_revocations_of_a_database_with_other_stores_do_not_apply(
    program: Program, backup: Path
) -> None:
    """For example after the loss of a machine, when a new service has started on another."""
    new = ("--database", url_of(program.folder / "new.db"))
    program.out(*new, "migrate")
    program.out(*new, "token", "create", "--create", "--store", "orchard", "--user", "eve")
    result = program.run(*new, "restore", str(backup), "--yes")
    assert result.status == 0
    assert "re-applied" not in result.err
    states = {token["state"] for token in program.data(*new, "token", "list")}
    assert states == {"active"}


def test_a_missing_database_is_created(program: Program, backup: Path) -> None:
    folder = program.folder / "there"
    database = ("--database", url_of(folder / "plants.db"))
    assert f"there is no folder {folder}" in program.refusal(*database, "restore", str(backup))
    folder.mkdir()
    result = program.run(*database, "restore", str(backup))
    assert result.err.startswith(f"restored {folder}/plants.db: stores: 1, plants: 1\n")
    assert result.err.count("\n") == 1
    assert {path.name for path in folder.iterdir()} == {"plants.db", "plants.db-lock"}
    assert stat.S_IMODE((folder / "plants.db").stat().st_mode) == 0o600


def test_a_database_in_use_is_not_replaced(program: Program, backup: Path) -> None:
    with serve(program) as service, service.client(service.make_token()) as client:
        for _ in range(2):
            message = program.refusal("restore", str(backup), "--yes")
            assert f"{file_of(program)} is in use: stop the service" in message
            # A missing backup is reported although the service is running.
            assert "there is no such file" in program.refusal("restore", "missing.db")
            assert client.post("/plants", json={"id": 2, "name": "on"}).status_code in {200, 400}
        assert client.get("/readyz").is_success
    assert names_of(program.database) == ["later", "on"]
    assert not [path for path in file_of(program).parent.iterdir() if "replaced" in path.name]
    program.out("restore", str(backup), "--yes")


def test_a_session_opened_during_a_restore_reads_the_restored_data(
    program: Program, backup: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The test holds the lock that a restore holds while it replaces the file."""
    monkeypatch.setattr(connection, "_RESTORE_TIMEOUT", 60)
    program.out("--database", url_of(program.folder / "restored.db"), "restore", str(backup))
    file, plants = file_of(program), list[object]()

    def open_session() -> None:
        with closing(SQLiteSession(url_of(file))) as session:
            plants.append(NewPlant(*session.query("find_plant", 1, 1)[0]).name)

    with closing(FileLock(file)) as lock, lock.held():
        thread = threading.Thread(target=open_session)
        thread.start()
        wait_until(lambda: plants or _count_opened(f"{file}-lock") == 2)
        for end in ("-wal", "-shm"):
            file.with_name(file.name + end).unlink(missing_ok=True)
        (program.folder / "restored.db").replace(file)
    thread.join(60)
    assert plants == ["kept"]


def _count_opened(path: str) -> int:
    """The number of descriptors of this process that are open on a file."""
    return [os.path.realpath(descriptor) for descriptor in Path("/proc/self/fd").iterdir()].count(
        path
    )


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        ("truncated", "it is damaged or truncated: "),
        ("compressed", "it is not a SQLite database, or encrypted or compressed"),
        ("foreign", "is a SQLite database of another program"),
        ("empty", "it is empty"),
        ("folder", "it is not a file"),
        ("missing", "there is no such file"),
    ],
)
def test_invalid_backups_are_refused(
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
        # A missing backup is refused without a prompt.
        message = program.refusal("restore", str(backup), *["--yes"][damage == "missing" :])
    assert message.startswith(f"Error: nothing was restored from {backup}: ")
    assert reason in message


def test_a_newer_schema_is_refused(program: Program, backup: Path) -> None:
    newer_backup = program.folder / "newer.db"
    shutil.copy(backup, newer_backup)
    newer_program = next_program(program)
    newer_program.out("--database", url_of(newer_backup), "migrate")
    with unchanged(program.folder / "data"):
        message = program.refusal("restore", str(newer_backup), "--yes")
    assert "newer than this program's" in message


def test_an_older_schema_is_migrated(program: Program, backup: Path) -> None:
    content = backup.read_bytes()
    newer_program = next_program(program)
    result = newer_program.run("restore", str(backup), "--yes")
    assert f"applied to the restored database: migrations {NEWEST['sqlite'] + 1}" in result.err
    assert backup.read_bytes() == content
    assert select(program.database, "SELECT plants FROM revisions") == [(1,)]


def test_restore_asks_before_it_replaces_a_database(program: Program, backup: Path) -> None:
    with unchanged(program.folder / "data"):
        assert "give --yes" in program.refusal("restore", str(backup))
        result = program.run("restore", str(backup), stdin="n\n")
    assert result.status == 1
    assert f"Replace {file_of(program)} by {backup}? [y/N]: " in result.err
    assert program.run("restore", str(backup), stdin="y\n").status == 0


def test_restore_needs_either_a_backup_or_in_place(program: Program, backup: Path) -> None:
    program.refusal("restore", status=2)
    program.refusal("restore", str(backup), "--in-place", status=2)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files away")
@pytest.mark.parametrize("owner", [0, 12345])
def test_the_restored_file_has_the_replaced_files_or_the_folders_owner(
    program: Program, backup: Path, owner: int
) -> None:
    file = file_of(program)
    os.chown(file.parent, 23456, 23456)
    os.chown(file, owner, owner)
    file.chmod(0o640)
    program.out("restore", str(backup), "--yes")
    restored = file.stat()
    assert (restored.st_uid, stat.S_IMODE(restored.st_mode)) == (owner or 23456, 0o640)
    assert file.with_name("plants.db-lock").stat().st_uid == restored.st_uid
