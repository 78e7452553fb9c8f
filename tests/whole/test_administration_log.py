"""The system log has every administrative change with its author, and no secret."""

import getpass
import json
import logging
import os
import re
import shlex
import syslog
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from plantstore.core.model import token_id_of
from plantstore.core.tokens import hash_token
from plantstore.program import cli
from tests.cli.test_help import COMMANDS
from tests.databases import execute
from tests.service import Service

# Commands that change something, in an order in which all of them are possible.
CHANGES = {
    "migrate": "",
    "store create": "nursery",
    "store set": "nursery --max-plants 500",
    "user create": "ada",
    "member add": "--store nursery --user ada --role editor",
    "token create": "--create --store nursery --user ada",
    "link create": "--store nursery --user ada",
    "link revoke": "{link}",
    "webhook create": "--store nursery https://plants.invalid/secret --json",
    "webhook pause": "--store nursery {webhook}",
    "webhook resume": "--store nursery {webhook}",
    "webhook rotate": "--store nursery {webhook}",
    "webhook delete": "--store nursery {webhook}",
    "event undo": "--store nursery --user ada --since 1h --yes",
    "plant add": "--store nursery 3 Fern",
    "plant edit": "--store nursery 3 --name Moss",
    "plant delete": "--store nursery 3",
    "plant restore": "--store nursery 3",
    "import": "{file} --store nursery",
    "token rotate": "{token}",
    "token revoke": "{token}",
    "restore": "--in-place",
    "copy": "--from {database} --to {database}.copy",
    "member remove": "--store nursery --user ada --yes",
    "store rename": "nursery nursery-north",
    "store delete": "nursery-north --yes",
    "user rename": "ada ada.lovelace",
    "user delete": "ada.lovelace --yes",
}
READS = {
    **dict.fromkeys(("check", "settings show"), ""),
    **dict.fromkeys(("store list", "user list", "token list", "link list"), ""),
    "store show": "nursery",
    "member list": "--store nursery",
    "event list": "--store nursery",
    "audit list": "",
    "webhook list": "--store nursery",
    "webhook show": "--store nursery {webhook}",
    "webhook test": "--store nursery {webhook}",
    "plant list": "--store nursery",
    "status": "",
    "backup": "{file}.backup",
    "verify": "",
    "export": "--store nursery {file}.export",
}
NOT_AUDITED = {"copy"}  # a copy is audited in its target
NOT_TRIED = {"serve", "distribute"}  # the first changes nothing, the second is not for SQLite


class Administrator:
    """Runs commands on its own database; ``logged`` are the lines of the system log."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.logged: list[str] = []
        self.database = f"sqlite:///{folder / 'plants.db'}"
        self._folder = folder
        self._token = self._link = self._webhook = ""
        monkeypatch.setenv("PLANTSTORE_DATABASE", self.database)
        monkeypatch.setattr(syslog, "syslog", lambda _level, line: self.logged.append(line))

    def use_token(self, *, deletes: bool) -> None:
        """Create the plant 1 of the nursery with the token, and maybe delete it."""
        service = Service(self._folder, database=self.database)
        with service, service.client(self._token) as client:
            assert client.post("/plants", json={"id": 1, "name": "Fern"}).is_success
            assert not deletes or client.delete("/plants/1").is_success

    def run(self, command: str, arguments: str) -> str:
        """Run a command; return its output. ``logged`` has only the lines of this command."""
        self.logged.clear()
        file = self._folder / "plants.csv"
        file.write_text("id,name\n2,Fern\n", encoding="utf-8")
        names = {"database": self.database, "token": self._token, "link": self._link}
        names["webhook"] = self._webhook
        line = f"{command} {arguments.format(**names, file=file)}"
        result = CliRunner().invoke(cli, shlex.split(line))
        # The receiver of the webhook does not exist.
        assert result.exit_code == (command == "webhook test"), result.output
        assert "administration" not in result.output
        if command == "token create":
            self._token = result.stdout.split()[-1]
        if command == "webhook create":
            self._webhook = json.loads(result.stdout)["id"]
        if command == "link create":
            code = result.stdout.strip().partition("#code=")[2]
            self._link = token_id_of(hash_token(code))
        return result.output


@pytest.fixture
def administrator(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Administrator]:
    yield Administrator(tmp_path, monkeypatch)
    logging.getLogger("plantstore.security.administration").handlers.clear()


def test_every_command_has_a_case() -> None:
    assert CHANGES.keys() | READS | NOT_TRIED == set(map(" ".join, COMMANDS))


def test_every_change_is_logged_with_its_author(
    administrator: Administrator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SUDO_USER", "grace\nINFO")
    person = f'os_uid={os.getuid()} os_user={getpass.getuser()} sudo_user="grace\\nINFO"'
    for path, arguments in CHANGES.items():
        if path == "event undo":
            administrator.use_token(deletes=False)
        administrator.run(path, arguments)
        (line,) = administrator.logged
        changed = line.removeprefix(
            f'plantstore.security.administration: administration command="{path}" '
        ).removesuffix(f" {person}")
        expected = (
            "database=" if path in {"migrate", "copy", "restore"} else "(store=nursery|user=ada)"
        )
        assert re.search(rf"(^| ){expected}", changed)
        assert len(changed) < len(line) - len(person)
        assert "plants.invalid" not in line
    rows = json.loads(administrator.run("audit list", "--json"))
    actions = [row["action"] for row in rows]
    assert actions == [path for path in CHANGES if path not in NOT_AUDITED]
    assert {row["by"] for row in rows} == {"grace\nINFO"}
    by_action = {row["action"]: row for row in rows}
    for path in ("event undo", "import"):
        assert (by_action[path]["store"], by_action[path]["details"]["plants"]) == ("nursery", 1)
    assert by_action["event undo"]["user"] == by_action["member add"]["user"]
    assert by_action["event undo"]["details"]["since"] < by_action["event undo"]["at"]
    assert by_action["link create"]["details"] == by_action["link revoke"]["details"]


def test_restore_repair_and_copy_are_recorded_in_the_target_database(
    administrator: Administrator,
) -> None:
    administrator.run("migrate", "")
    administrator.run("store create", "nursery")
    administrator.run("import", CHANGES["import"])
    administrator.run("backup", READS["backup"])
    administrator.run("restore", "{file}.backup --yes")
    administrator.run("copy", CHANGES["copy"])
    execute(administrator.database, "UPDATE revisions SET plants = 9")
    administrator.run("verify", "--repair")
    *_, restored, repaired = json.loads(administrator.run("audit list", "--json"))
    assert (repaired["action"], repaired["store"]) == ("verify --repair", "nursery")
    assert (restored["action"], restored["details"]["plants"]) == ("restore", 1)
    assert restored["details"]["backup"].endswith("plants.csv.backup")
    target = f"--database {administrator.database}.copy"
    (copied,) = json.loads(administrator.run(target, "audit list --json"))
    assert (copied["action"], copied["details"]["plants"]) == ("copy", 1)
    assert copied["details"]["source"] == administrator.database


def test_a_token_is_logged_by_its_id(administrator: Administrator) -> None:
    administrator.run("migrate", "")
    token = administrator.run("token create", CHANGES["token create"]).splitlines()[-1]
    logged = administrator.logged.copy()
    administrator.run("token revoke", "{token}")
    for line in (*logged, *administrator.logged):
        assert f" store=nursery token_id={token_id_of(hash_token(token))} user=ada " in line
        assert token not in line


def test_commands_that_change_nothing_are_not_logged(administrator: Administrator) -> None:
    administrator.run("migrate", "")
    for path in ("token create", "webhook create"):
        administrator.run(path, CHANGES[path])
    for path, arguments in (READS | {"migrate": ""}).items():
        administrator.run(path, arguments)
        assert administrator.logged == []
    administrator.run("migrate", "--dry-run")
    assert administrator.logged == []
