"""The first start creates the database; a user without a home directory must name one."""

from pathlib import Path

import pytest

import plantstore
from tests.cli.program import Program
from tests.service import Service

SOURCE = Path(plantstore.__file__).parents[1]


def test_the_first_start_creates_the_database_and_logs_it(tmp_path: Path) -> None:
    with Service(tmp_path) as service:
        assert service.stop() == 0
        service.start()
    assert service.log().count(f"created the database {tmp_path / 'plants.db'}\n") == 1


def test_an_unknown_variable_causes_only_a_warning(tmp_path: Path) -> None:
    program = Program(tmp_path, {"PLANTSTORE_DATABSE": "x"}).with_database()
    message = "PLANTSTORE_DATABSE is not a setting; did you mean PLANTSTORE_DATABASE?\n"
    for call in ("token list", "check"):
        result = program.run(*call.split())
        assert (result.status, result.err) == (0, f"Warning: {message}")
    with Service(tmp_path, settings={"databse": "x"}) as service:
        assert f" WARNING plantstore: {message}" in service.log()


@pytest.mark.parametrize("command", ["serve", "token list"])
def test_a_user_without_a_home_must_name_the_database(tmp_path: Path, command: str) -> None:
    (tmp_path / "sitecustomize.py").write_text("import pwd\npwd.getpwuid = {}.__getitem__\n")
    without = ("-u", "HOME", "-u", "PLANTSTORE_DATABASE", f"PYTHONPATH={tmp_path}:{SOURCE}")
    program = Program(tmp_path, prefix=("env", *without))
    message = program.refusal(*command.split())
    assert message.startswith(
        "Error: this user has no home directory for the database: name one with"
    )
    assert "--database or PLANTSTORE_DATABASE" in message
