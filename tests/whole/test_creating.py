"""Only the commands that say so create a database."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from plantstore.core.errors import SetupError
from plantstore.program import cli
from tests.cli.test_help import COMMANDS

CREATING = {("serve",), ("migrate",), ("store", "create"), ("copy",)}
WITHOUT_DATABASE = {("check",), ("help",), ("settings", "show")}
NOT_ON_SQLITE = {("distribute",)}
OTHERS = [path for path in COMMANDS if path not in CREATING | WITHOUT_DATABASE | NOT_ON_SQLITE]
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
