"""Only ``migrate``, ``store create`` and ``copy`` create a database."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from plantstore.core.errors import SetupError
from plantstore.program import cli
from tests.whole.test_administration_log import CHANGES, READS

CREATING = {"migrate", "store create", "copy"}
WITHOUT_DATABASE = {"check", "settings show"}
OTHERS = sorted((CHANGES.keys() | READS) - CREATING - WITHOUT_DATABASE)


@pytest.mark.parametrize("path", OTHERS)
def test_other_commands_refuse_a_missing_database(path: str, tmp_path: Path) -> None:
    file = tmp_path / "new" / "plants.db"
    arguments = (CHANGES | READS)[path].removeprefix("--create ")
    names = {"file": "plants.csv", "link": "0123456789abcdef", "token": "0123456789abcdef"}
    names["webhook"] = names["link"]
    call = f"--database sqlite:///{file} {path} {arguments.format(**names)}"
    refused = CliRunner().invoke(cli, call).exception
    assert isinstance(refused, SetupError), refused
    assert str(refused).startswith(
        f"there is no database {file}: name it with --database or PLANTSTORE_DATABASE; "
    )
    assert list(tmp_path.iterdir()) == []
