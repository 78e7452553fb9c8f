"""``plantstore backup``: what it writes, what it does not change, and when it writes nothing."""

import fcntl
import os
import re
import signal
import stat
import subprocess
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from plantstore.features.backups import backup as backing_up
from plantstore.features.backups.backup import copy_database
from plantstore.sqlite.connection import connect
from tests.administration import open_administration
from tests.cli.program import PLANTSTORE, UNPRIVILEGED, Program
from tests.cli.test_check import file_of, in_folder, unchanged
from tests.contents import contents
from tests.contract.harness import replay
from tests.databases import execute
from tests.faults.load import under_load, wait_until_acknowledged
from tests.next_version import next_program
from tests.service import Service
from tests.waiting import wait_until


def url_of(file: Path) -> str:
    return f"sqlite:///{file}"


def fill(program: Program, plants: int = 1) -> None:
    """Create plants through the service and kill it, so that its WAL remains."""
    with Service(program.folder, database=program.database) as service:
        with service.client(service.make_token()) as client:
            for number in range(plants):
                body = {"id": number, "name": f"Ficus {number}"}
                assert client.post("/plants", json=body).is_success
        service.kill()


def test_a_backup_of_a_busy_service_has_all_acknowledged_writes(program: Program) -> None:
    database = program.database
    with Service(program.folder, database=database) as service:
        token = service.make_token()
        with under_load(service, token) as load_clients:
            for number in range(3):
                file = program.folder / f"backup-{number}.db"
                wait_until_acknowledged(load_clients, 50)
                before = {
                    plant_id for client in load_clients for plant_id in set(client.acknowledged)
                }
                program.out("backup", str(file))
                deleted = {
                    plant_id
                    for client in load_clients
                    for plant_id in client.deleted | client.unknown
                }
                rows = contents(url_of(file))
                stored = {row[1] for row in rows["plants"]}
                assert before - deleted <= stored
                with closing(open_administration(url_of(file))) as administration:
                    events = list(administration.list_events("nursery"))
                assert {plant.id for plant in replay(events)} == stored
            assert not any(client.refusals for client in load_clients)


def test_commits_between_steps_do_not_restart_the_backup(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(program, 30)
    copy = program.folder / "copy.db"
    commits = 0
    with closing(connect(file_of(program))) as writer:

        def commit(_file: int) -> None:
            nonlocal commits
            commits += 1
            assert commits < 1000
            writer.execute("INSERT INTO users VALUES (NULL, ?, 0)", (f"user {commits}",))

        monkeypatch.setattr(backing_up, "_STEP_PAGES", 1)
        monkeypatch.setattr(backing_up, "_FLUSH_STEPS", 1)
        monkeypatch.setattr(os, "fdatasync", commit)
        assert copy_database(file_of(program), copy) == (1, 30)
    assert commits > 5
    assert len(contents(url_of(copy))["users"]) == 1


@pytest.mark.parametrize("has_shm", [True, False], ids=["with-shm", "without-shm"])
def test_a_backup_does_not_change_the_database(program: Program, *, has_shm: bool) -> None:
    fill(program)
    if not has_shm:
        file_of(program).with_name("plants.db-shm").unlink()
    backup = program.folder / "backup.db"
    with unchanged(program.folder / "data"):
        program.out("backup", str(backup))
    assert contents(url_of(backup)) == contents(program.database)


def test_a_backup_is_one_private_and_complete_file(program: Program) -> None:
    backup = program.folder / "backups" / "plants.backup"
    backup.parent.mkdir()
    for plants in (0, 1):  # the second backup replaces the first
        result = program.in_shell(f"umask 000; plantstore backup {backup}")
        assert (result.out, result.err) == (
            "",
            f"backed up to {backup}: stores: 1, plants: {plants}\n",
        )
        if plants == 0:
            fill(program)
    assert stat.S_IMODE(backup.stat().st_mode) == 0o600
    with unchanged(backup.parent):
        program.out("--database", url_of(backup), "check")
    assert len(contents(url_of(backup))["plants"]) == 1
    assert list(backup.parent.iterdir()) == [backup]


def test_keep_removes_all_but_the_newest_backups(program: Program) -> None:
    folder = program.folder / "backups"
    folder.mkdir()
    others = {folder / name for name in ("plants.db", "plants-20200101T000000Z.db.age", "other-")}
    others |= {folder / "meadow-20200101T000000.000Z.db"}
    for other in others:
        other.touch()
    (folder / "plants-20200101T000000.000Z.db").touch()
    assert program.data("backup", str(folder), "--keep", "2")["removed"] == []
    result = program.data("backup", str(folder), "--keep", "2")
    backups = sorted(set(folder.iterdir()) - others)
    assert len(backups) == 2
    assert result["file"] == str(backups[-1])
    assert result["removed"] == [str(folder / "plants-20200101T000000.000Z.db")]
    assert set(folder.iterdir()) >= others
    assert program.run("backup", str(folder), "--keep", "1").err.count("\nremoved ") == 2


def test_an_inconsistent_backup_does_not_replace_an_older_backup(program: Program) -> None:
    older = program.data("backup", "./", "--keep", "1", "--verify")["file"]
    execute(program.database, "UPDATE revisions SET plants = 7")
    assert "is inconsistent" in program.refusal("backup", "./", "--keep", "1", "--verify")
    program.out("--database", f"sqlite:///{older}", "verify")


def test_backups_with_a_time_in_the_future_are_removed_first(program: Program) -> None:
    future = [f"plants-2099010{day}T000000.000Z.db" for day in range(1, 4)]
    for name in future:
        (program.folder / name).touch()
    kept = []
    for night in range(3):
        result = program.data("backup", "./", "--keep", "3")
        assert result["removed"] == [future[night]]
        kept.append(result["file"])
    assert all((program.folder / name).exists() for name in kept)


def test_an_older_schema_is_backed_up(program: Program) -> None:
    fill(program, 2)
    result = next_program(program).data("backup", "backup.db")
    assert (result["stores"], result["plants"]) == (1, 2)


@pytest.mark.parametrize("damage", ["truncated", "foreign", "empty", "no database"])
def test_a_damaged_database_is_not_backed_up(program: Program, damage: str) -> None:
    fill(program, 30)
    file, backup = file_of(program), program.folder / "backups" / "plants.backup"
    backup.parent.mkdir()
    program.out("backup", str(backup))
    for end in ("-wal", "-shm"):
        file.with_name(file.name + end).unlink()
    content = file.read_bytes()
    good = backup.read_bytes()
    if damage == "foreign":
        file.unlink()
        with closing(apsw.Connection(str(file))) as connection:
            connection.execute("CREATE TABLE other (x)")
    else:
        damaged = {"truncated": content[:-8192], "empty": b"", "no database": b"text" * 999}
        file.write_bytes(damaged[damage])
    message = program.refusal("backup", str(backup))
    assert message.startswith(f"Error: no backup was made to {backup}: ")
    assert list(backup.parent.iterdir()) == [backup]
    assert backup.read_bytes() == good


def test_invalid_targets_are_refused(program: Program) -> None:
    file = file_of(program)
    (program.folder / "link.db").symlink_to(file)
    file.with_name("plants.db-lock").unlink()
    with unchanged(file.parent):
        for target in (file, f"{file}-wal", f"{file}-shm", f"{file}-lock", "link.db"):
            message = program.refusal("backup", str(target))
            assert "is or was a database in use: give another name" in message
    program.out("--database", "sqlite:///other.db", "migrate")
    assert "other.db is or was a database in use" in program.refusal("backup", "other.db")
    program.out("--database", "sqlite:///odd-wal", "migrate")
    message = program.refusal("--database", "sqlite:///odd-wal", "backup", "odd-wal")
    assert "odd-wal is or was a database in use" in message
    message = program.refusal("backup", "/dev/null")
    assert "is not a regular file" in message
    (program.folder / "notes.txt").write_text("precious")
    assert "notes.txt is not a backup: give another" in program.refusal("backup", "notes.txt")
    assert (program.folder / "notes.txt").read_text() == "precious"
    for target in ("missing/", "missing/plants.backup"):
        assert "there is no folder missing" in program.refusal("backup", target)
    assert "there is no folder missing" in program.refusal("backup", "missing", "--keep", "3")
    (program.folder / "one.db").touch()
    for target in ("one.db", "-"):
        message = program.refusal("backup", target, "--keep", "3", status=2)
        assert f"--keep is for a folder of backups: {target} is none" in message
    program.refusal("backup", "-", "--json", status=2)
    assert "its name is not in UTF-8" in program.refusal("backup", "\udcff")


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_backup_leaves_no_file(program: Program, stop: signal.Signals) -> None:
    fill(program)
    folder = program.folder / "backups"
    folder.mkdir()
    file = file_of(program)
    with closing(apsw.Connection(str(file))) as connection:
        connection.execute("PRAGMA journal_mode = DELETE").fetchall()
        connection.execute("BEGIN EXCLUSIVE")  # so that the backup waits
        with subprocess.Popen(
            [*PLANTSTORE, "backup", str(folder)], env=program.environ, stderr=subprocess.PIPE
        ) as process:
            wait_until(lambda: list(folder.rglob("*.db")), pause=0.005)
            process.send_signal(stop)
            connection.execute("ROLLBACK")
            assert process.wait(60) == 130
    assert list(folder.iterdir()) == []


def test_the_next_backup_removes_files_of_a_killed_backup(program: Program) -> None:
    unfinished = program.folder / "backups" / ".plants.unfinished"
    unfinished.mkdir(parents=True)
    (unfinished / "plants-20200101T000000.000Z.db").write_bytes(b"half")
    result = program.data("backup", "backups/")
    assert list(unfinished.parent.iterdir()) == [program.folder / result["file"]]


def test_a_second_backup_to_the_same_file_is_refused_meanwhile(program: Program) -> None:
    folder = program.folder / ".backup.db.unfinished"
    folder.mkdir()
    other = os.open(folder, os.O_RDONLY)
    fcntl.flock(other, fcntl.LOCK_EX)
    assert "another command is writing to" in program.refusal("backup", "backup.db")
    os.close(other)
    program.out("backup", "backup.db")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files away")
def test_a_backup_made_by_root_belongs_to_the_folders_owner(program: Program) -> None:
    folder = program.folder / "backups"
    folder.mkdir()
    os.chown(folder, 12345, 54321)
    (folder / ".plants.unfinished").mkdir()
    os.chown(folder / ".plants.unfinished", 12345, 54321)
    assert "belongs to another user: remove it" in program.refusal("backup", str(folder))
    (folder / ".plants.unfinished").rmdir()
    backup = Path(program.data("backup", str(folder))["file"]).stat()
    assert (backup.st_uid, backup.st_gid, stat.S_IMODE(backup.st_mode)) == (12345, 54321, 0o600)


def test_the_error_for_a_read_only_folder_names_its_owner(tmp_path: Path) -> None:
    unprivileged = in_folder(tmp_path, *UNPRIVILEGED)
    (tmp_path / "backups").mkdir(mode=0o500)
    message = unprivileged.refusal("backup", "backups")
    assert "Permission denied; " in message
    assert "; backups belongs to " in message


def test_a_backup_needs_only_permission_to_read(tmp_path: Path) -> None:
    unprivileged = in_folder(tmp_path, *UNPRIVILEGED)
    file_of(unprivileged).chmod(0o400)
    file_of(unprivileged).parent.chmod(0o500)
    result = unprivileged.run("backup", "backup.db")
    file_of(unprivileged).parent.chmod(0o700)
    assert result.status == 0, result


@pytest.mark.parametrize(
    ("command", "advice"),
    [
        ("backup", "back it up with pg_dump"),
        ("restore", "restore it with pg_restore, then run"),
    ],
)
def test_for_postgresql_the_error_names_its_own_tools(
    program: Program, command: str, advice: str
) -> None:
    message = program.refusal("--database", "postgresql://127.0.0.1:1/plants", command, "x.db")
    assert advice in message
    page, heading = re.findall(r'see "(.*)" in (\S+)', message)[0][::-1]
    assert f"\n## {heading}\n" in (Path(__file__).parents[3] / page).read_text(encoding="utf-8")
