"""``plantstore check`` reports passed and failed checks, and changes nothing."""

import hashlib
import os
import pwd
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import apsw
import pytest

from plantstore.version import VERSION
from tests.cli.program import CREATE, UNPRIVILEGED, Program
from tests.databases import execute
from tests.service import Service

NAMES = ["settings", "integrity", "schema", "writable"]


def state_of(folder: Path) -> dict[str, tuple[str, int]]:
    """Each file's content and mode, and the folder's."""
    return {
        str(path): (hashlib.sha256(path.read_bytes()).hexdigest(), path.stat().st_mode)
        for path in folder.iterdir()
        if not path.name.endswith("-shm")  # its readers change it
    } | {str(folder): ("", folder.stat().st_mode), "files": (str(sorted(folder.iterdir())), 0)}


@contextmanager
def unchanged(folder: Path) -> Iterator[None]:
    before = state_of(folder)
    yield
    assert state_of(folder) == before


def failures(program: Program, folder: Path | None = None) -> dict[str, str]:
    with unchanged(folder or program.folder / "data"):
        result = program.run("check", "--json")
        text = program.run("check")
    quiet = program.run("check", "--quiet")
    report = result.data()
    failed = {check["name"]: check["detail"] for check in report["checks"] if not check["ok"]}
    assert (result.status, result.err, report["ok"]) == (int(bool(failed)), "", not failed)
    assert text.status == quiet.status == result.status
    assert (quiet.out, quiet.err) == ("", text.err)
    assert text.err == "".join(f"Error: {detail}\n" for detail in failed.values())
    assert len(text.out.splitlines()) + len(failed) == len(report["checks"])
    return failed


def in_folder(tmp_path: Path, *prefix: str) -> Program:
    """The program with a database that has a store, in a folder of its own."""
    environ = {"PLANTSTORE_DATABASE": f"sqlite:///{tmp_path}/data/plants.db"}
    Program(tmp_path, environ).with_database().out(*CREATE)
    return Program(tmp_path, environ, prefix)


@pytest.fixture
def program(tmp_path: Path) -> Program:
    """The program with a database that has a store."""
    return in_folder(tmp_path)


@pytest.fixture
def unprivileged(tmp_path: Path) -> Program:
    """The same, run as a user without root's privileges."""
    return in_folder(tmp_path, *UNPRIVILEGED)


def file_of(program: Program) -> Path:
    return program.folder / "data" / "plants.db"


def test_check_creates_no_database(tmp_path: Path) -> None:
    missing = tmp_path / "missing.db"
    message = Program(tmp_path).refusal("--database", f"sqlite:///{missing}", "check")
    assert message.startswith(f"Error: there is no database {missing}: name it with --database")
    assert not missing.exists()


def test_passed_checks_are_listed(program: Program) -> None:
    assert failures(program) == {}
    report = program.data("check")
    assert report.keys() == {"ok", "checks", "version"}
    names = [check["name"] for check in report["checks"]]
    assert names[: len(NAMES)] == NAMES  # features have more
    assert report["version"] == VERSION
    lines = program.out("check").splitlines()
    assert lines == [f"ok: {check['detail']}" for check in report["checks"]]


def test_an_invalid_setting_fails_the_settings_check(program: Program) -> None:
    program.environ["PLANTSTORE_PORT"] = "abc"
    assert failures(program).keys() == {"settings"}


def test_a_corrupt_file_fails_the_integrity_check(program: Program) -> None:
    file = file_of(program)
    with closing(apsw.Connection(str(file))) as connection:
        query = "SELECT rootpage FROM sqlite_schema WHERE name = 'plants_by_tag'"
        begin = 4096 * (connection.execute(query).get - 1)
    content = bytearray(file.read_bytes())
    content[begin : begin + 4096] = bytes(4096)
    file.write_bytes(content)
    failed = failures(program)
    assert "restore a backup" in failed.pop("integrity")
    assert failed == {}


FOREIGN = {
    "trigger widen": "CREATE TRIGGER widen AFTER INSERT ON plants BEGIN DELETE FROM tokens; END",
    "table tokens": "ALTER TABLE tokens ADD COLUMN note TEXT",
    "index links_by_user, table links": (
        "DROP TABLE links; CREATE VIEW links AS SELECT * FROM tokens"
    ),
    "index tokens_by_hash": "DROP INDEX tokens_by_hash",
}


@pytest.mark.parametrize("name", FOREIGN)
def test_a_modified_schema_fails_the_schema_check(program: Program, name: str) -> None:
    execute(program.database, FOREIGN[name])
    failed = failures(program)
    assert f"another program has changed the schema: {name}" in failed.pop("schema")
    assert failed == {}


def test_an_operators_own_index_and_table_pass_all_checks(program: Program) -> None:
    own = "CREATE TABLE notes (text); CREATE INDEX plants_by_name ON plants (store_id, name)"
    execute(program.database, own)
    assert failures(program) == {}


@pytest.mark.parametrize(("content", "failed"), [(b"", "schema"), (b"no database", "integrity")])
def test_a_foreign_file_fails_one_check_and_is_unchanged(
    program: Program, content: bytes, failed: str
) -> None:
    file_of(program).write_bytes(content)
    assert failures(program).keys() == {failed}


@pytest.mark.parametrize("has_shm", [True, False], ids=["crashed", "copied"])
def test_the_wal_of_a_killed_service_is_unchanged(program: Program, *, has_shm: bool) -> None:
    with Service(program.folder, database=program.database) as service:
        service.make_token(user="eve")
        service.kill()
    wal = file_of(program).with_name("plants.db-wal")
    assert wal.stat().st_size > 0
    if not has_shm:
        wal.with_name("plants.db-shm").unlink()
    assert failures(program) == {}
    assert {token["user"] for token in program.data("token", "list")} == {"ada", "eve"}


def test_a_database_in_use_passes_all_checks(program: Program) -> None:
    database = program.database
    with (
        Service(program.folder, database=database) as service,
        service.client(service.make_token()) as client,
    ):
        assert client.post("/plants", json={"id": 1, "name": "Ficus"}).is_success
        assert failures(program) == {}
        assert client.post("/plants", json={"id": 2, "name": "Ficus"}).is_success


@pytest.mark.parametrize("fixture", ["program", "unprivileged"])
def test_a_read_only_file_fails_only_the_writable_check(
    fixture: str, request: pytest.FixtureRequest
) -> None:
    program: Program = request.getfixturevalue(fixture)
    file_of(program).chmod(0o400)
    failed = failures(program)
    assert f"{file_of(program)} is not writable: its mode is 0400" in failed.pop("writable")
    assert failed == {}


def test_a_read_only_folder_fails_only_the_writable_check(unprivileged: Program) -> None:
    folder = file_of(unprivileged).parent
    folder.chmod(0o500)
    failed = failures(unprivileged)
    message = failed.pop("writable")
    assert "is not writable: Permission denied; " in message
    assert f"{folder} belongs to " in message
    assert failed == {}
    folder.chmod(0o700)


def test_an_unreadable_file_is_reported_with_its_owner(unprivileged: Program) -> None:
    file = file_of(unprivileged)
    file.chmod(0o000)
    me = pwd.getpwuid(os.geteuid()).pw_name
    problem = f"{file} belongs to {me} and has mode 0000, and this runs as {me}"
    assert unprivileged.refusal("check").count(problem) == 2
    for command in (("token", "list"), ("serve", "--port", "0")):
        assert problem in unprivileged.refusal(*command)


def test_commands_that_write_refuse_a_read_only_file(
    unprivileged: Program,
) -> None:
    file = file_of(unprivileged)
    file.chmod(0o400)
    for command in (("serve", "--port", "0"), ("migrate",), ("token", "revoke", "--all")):
        message = unprivileged.refusal(*command)
        assert f"cannot write to the database {file}; {file} belongs to" in message
    unprivileged.out("token", "list")
    file.chmod(0o600)
    unprivileged.out("token", "create", "--create", "--store", "orchard", "--user", "ada")
