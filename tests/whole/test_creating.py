"""Only the commands that say so create a database."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from plantstore.errors import SetupError
from plantstore.program import cli
from tests.cli.program import Program
from tests.service import Service
from tests.whole.test_help import COMMANDS

CREATING = {("serve",), ("migrate",), ("store", "create"), ("copy",)}
WITHOUT_DATABASE = {("check",), ("help",), ("settings", "show")}
OTHERS = [path for path in COMMANDS if path not in CREATING | WITHOUT_DATABASE]
ARGUMENTS = {
    "token create": "--store nursery --user ada",
    "token revoke": "0123456789abcdef",
    "token rotate": "0123456789abcdef",
    "user rename": "ada eve",
    "user show": "ada",
    "user delete": "ada --yes",
    "store rename": "nursery orchard",
    "store show": "nursery",
    "user create": "ada",
    "member add": "--store nursery --user ada --role reader",
    "member remove": "--store nursery --user ada",
    "member list": "--store nursery",
    "event list": "--store nursery",
    "plant restore": "--store nursery 7",
    "store set": "nursery --max-plants none",
    "store delete": "nursery --yes",
    "backup": "plants.backup",
    "import": "plants.csv --store nursery",
    "export": "--store nursery -",
    "restore": "--in-place",
    "link revoke": "0123456789abcdef",
    "link create": "--store nursery --user ada",
}


@pytest.mark.parametrize("path", OTHERS, ids=" ".join)
def test_other_commands_refuse_a_missing_database(path: tuple[str, ...], tmp_path: Path) -> None:
    file = tmp_path / "new" / "plants.db"
    name = " ".join(path)
    call = f"--database sqlite:///{file} {name} {ARGUMENTS.get(name, '')}"
    refused = CliRunner().invoke(cli, call).exception
    assert isinstance(refused, SetupError), refused
    assert str(refused).startswith(
        f"there is no database {file}: name it with --database or PLANTSTORE_DATABASE; "
    )
    assert list(tmp_path.iterdir()) == []


def test_the_first_store_creates_the_database_and_says_so(tmp_path: Path) -> None:
    program = Program(tmp_path)
    made = program.run("store", "create", "nursery")
    assert (made.status, made.out) == (0, "nursery\n")
    assert made.err == f"created the database {tmp_path / 'plants.db'}\n"
    assert program.run("store", "create", "orchard").err == ""


def test_the_first_start_creates_the_database_and_says_so(tmp_path: Path) -> None:
    with Service(tmp_path) as service:
        assert service.stop() == 0
        service.start()
    assert service.log().count(f"created the database {tmp_path / 'plants.db'}\n") == 1


def test_a_service_that_cannot_listen_creates_no_database(tmp_path: Path) -> None:
    Program(tmp_path).refusal("serve", "--host", "nowhere.invalid", "--port", "0")
    assert list(tmp_path.iterdir()) == []


def test_an_unknown_variable_is_named_and_does_no_harm(tmp_path: Path) -> None:
    program = Program(tmp_path, {"PLANTSTORE_DATABSE": "x"}).with_database()
    said = "PLANTSTORE_DATABSE is not a setting; did you mean PLANTSTORE_DATABASE?\n"
    for call in ("token list", "check"):
        done = program.run(*call.split())
        assert (done.status, done.err) == (0, f"Warning: {said}")
    with Service(tmp_path, settings={"databse": "x"}) as service:
        assert f" WARNING plantstore: {said}" in service.log()


@pytest.mark.parametrize("command", ["serve", "store list"])
def test_a_user_without_a_home_is_told_to_name_the_database(tmp_path: Path, command: str) -> None:
    (tmp_path / "sitecustomize.py").write_text("import pwd\npwd.getpwuid = {}.__getitem__\n")
    without = ("-u", "HOME", "-u", "PLANTSTORE_DATABASE", f"PYTHONPATH={tmp_path}")
    program = Program(tmp_path, prefix=("env", *without))
    said = program.refusal(*command.split())
    assert said.startswith("Error: this user has no home directory for the database: name one with")
    assert "--database or PLANTSTORE_DATABASE" in said
