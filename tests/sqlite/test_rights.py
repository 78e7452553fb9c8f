"""File permissions: only its owner may read the database, whatever the umask."""

import os
import pwd
import stat
import subprocess
from pathlib import Path

import httpx
import pytest

from plantstore.sqlite.file_lock import FileLock
from tests.cli.program import PLANTSTORE, UNPRIVILEGED, Program, clean_environ
from tests.service import JSON, Service

UMASKS = ("000", "027")


def modes(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): oct(stat.S_IMODE(path.stat().st_mode))
        for path in folder.rglob("*")
    }


@pytest.mark.parametrize("umask", UMASKS)
def test_a_new_database_and_its_folder_are_private(tmp_path: Path, umask: str) -> None:
    command = ("sh", "-c", f'umask {umask}; exec "$@"', "sh", *PLANTSTORE)
    database = tmp_path / "data"
    with Service(tmp_path, database=f"sqlite:///{database}/plants.db", command=command) as service:
        headers = JSON | {"Authorization": f"Bearer {service.make_token()}"}
        body = {"id": 1, "name": "Ficus"}
        assert httpx.post(f"{service.origin}/plants", headers=headers, json=body).is_success
        file_modes = modes(tmp_path)
        assert file_modes["data"] == "0o700"
        files = {f"data/plants.db{end}" for end in ("", "-wal", "-shm", "-lock")}
        assert [file_modes[file] for file in files] == 4 * ["0o600"]


def test_an_existing_folder_and_file_keep_their_modes(tmp_path: Path) -> None:
    folder = tmp_path / "shared"
    folder.mkdir()
    folder.chmod(0o750)
    file = folder / "plants.db"
    file.touch()
    file.chmod(0o640)
    environ = clean_environ(tmp_path) | {"PLANTSTORE_DATABASE": f"sqlite:///{file}"}
    command = [*PLANTSTORE, "migrate"]
    result = subprocess.run(command, env=environ, capture_output=True, check=True, timeout=60)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o750
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    assert (
        f"users other than its owner may open {file}: chmod 600 {file}\n" in result.stderr.decode()
    )


@pytest.mark.parametrize(
    ("workers", "mode", "warnings"), [(1, 0o604, 1), (2, 0o620, 1), (2, 0o600, 0)]
)
def test_a_start_warns_once_of_a_file_that_others_may_open(
    tmp_path: Path, workers: int, mode: int, warnings: int
) -> None:
    file = tmp_path / "plants.db"
    file.touch()
    file.chmod(mode)
    with Service(tmp_path, settings={"workers": workers}) as service:
        service.make_token()
    assert service.log().count(" WARNING plantstore.sqlite.connection: users") == warnings
    assert service.log().count(f"chmod 600 {file}\n") == warnings


def test_users_who_may_write_the_database_may_lock_it(tmp_path: Path) -> None:
    database, lock = tmp_path / "plants.db", tmp_path / "plants.db-lock"
    database.touch()
    modes = {0o600: 0o600, 0o660: 0o660, 0o666: 0o666, 0o644: 0o600, 0o400: 0o600}
    for mode, locks_mode in modes.items():
        database.chmod(mode)
        FileLock(database).close()
        assert stat.S_IMODE(lock.stat().st_mode) == locks_mode


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files away")
def test_a_lock_created_by_root_belongs_to_the_databases_owner(tmp_path: Path) -> None:
    program = Program(tmp_path).with_database()
    (tmp_path / "plants.db-lock").unlink()  # as after a backup was restored
    os.chown(tmp_path / "plants.db", 12345, 54321)
    program.out("token", "revoke", "--all", "--yes")
    lock = (tmp_path / "plants.db-lock").stat()
    assert (lock.st_uid, lock.st_gid) == (12345, 54321)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files away")
def test_files_created_by_root_belong_to_the_folders_owner(tmp_path: Path) -> None:
    os.chown(tmp_path, 12345, 54321)
    database = tmp_path / "new" / "plants.db"
    program = Program(tmp_path, {"PLANTSTORE_DATABASE": f"sqlite:///{database}"})
    program.out("migrate")
    with Service(tmp_path, database=f"sqlite:///{database}") as service:
        service.make_token()
        paths = [database.parent, *database.parent.iterdir()]
        owners = {path.name: (path.stat().st_uid, path.stat().st_gid) for path in paths}
    assert owners.keys() >= {"new", *(f"plants.db{end}" for end in ("", "-wal", "-shm", "-lock"))}
    assert set(owners.values()) == {(12345, 54321)}


def test_an_unwritable_folder_is_reported_with_its_owner(tmp_path: Path) -> None:
    folder = tmp_path / "full"
    folder.mkdir(mode=0o500)
    program = Program(
        tmp_path, {"PLANTSTORE_DATABASE": f"sqlite:///{folder}/new/plants.db"}, UNPRIVILEGED
    )
    me = pwd.getpwuid(os.geteuid()).pw_name
    problem = f"{folder} belongs to {me} and has mode 0500, and this runs as {me}"
    for command in (("migrate",), ("serve", "--port", "0")):
        assert problem in program.refusal(*command)


def test_a_symlink_in_place_of_the_lock_is_not_followed(tmp_path: Path) -> None:
    program = Program(tmp_path).with_database()
    other = tmp_path / "other"
    other.touch(0o600)
    (tmp_path / "plants.db").chmod(0o666)
    lock = tmp_path / "plants.db-lock"
    lock.unlink()
    lock.symlink_to(other)
    assert str(lock) in program.refusal("token", "revoke", "--all", "--yes")
    assert stat.S_IMODE(other.stat().st_mode) == 0o600
