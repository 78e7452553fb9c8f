"""What the system's log is told of administration: every change, by whom, and no secret."""

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
from tests.service import Service

# What changes something, in an order in which all of it is possible.
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
NOT_AUDITED = {"migrate", "copy"}  # a copy's target has it
NOT_TRIED = {"serve", "distribute"}  # as it changes nothing, and is not on SQLite


class Administrator:
    """Runs commands on a database of its own; ``said`` is what the system's log was told."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.said: list[str] = []
        self.database = f"sqlite:///{folder / 'plants.db'}"
        self._folder = folder
        self._token = self._link = self._webhook = ""
        monkeypatch.setenv("PLANTSTORE_DATABASE", self.database)
        monkeypatch.setattr(syslog, "syslog", lambda _level, line: self.said.append(line))

    def use_token(self, *, deletes: bool) -> None:
        """Create the plant 1 of the nursery with the token, and maybe delete it."""
        service = Service(self._folder, database=self.database)
        with service, service.client(self._token) as client:
            assert client.post("/plants", json={"id": 1, "name": "Fern"}).is_success
            assert not deletes or client.delete("/plants/1").is_success

    def run(self, command: str, arguments: str) -> str:
        """What the command printed; what it said to the system's log is in ``said`` alone."""
        self.said.clear()
        file = self._folder / "plants.csv"
        file.write_text("id,name\n2,Fern\n", encoding="utf-8")
        names = {"database": self.database, "token": self._token, "link": self._link}
        names["webhook"] = self._webhook
        line = f"{command} {arguments.format(**names, file=file)}"
        done = CliRunner().invoke(cli, shlex.split(line))
        assert done.exit_code == (command == "webhook test"), done.output  # its receiver is nowhere
        assert "administration" not in done.output
        if command == "token create":
            self._token = done.stdout.split()[-1]
        if command == "webhook create":
            self._webhook = json.loads(done.stdout)["id"]
        if command == "link create":
            code = done.stdout.strip().partition("#code=")[2]
            self._link = token_id_of(hash_token(code))
        return done.output


@pytest.fixture
def administrator(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Administrator]:
    yield Administrator(tmp_path, monkeypatch)
    logging.getLogger("plantstore.security.administration").handlers.clear()


def test_every_command_is_tried_here() -> None:
    assert CHANGES.keys() | READS | NOT_TRIED == set(map(" ".join, COMMANDS))


def test_every_change_is_told_with_who_made_it(
    administrator: Administrator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SUDO_USER", "grace\nINFO")
    person = f'os_uid={os.getuid()} os_user={getpass.getuser()} sudo_user="grace\\nINFO"'
    for path, arguments in CHANGES.items():
        if path == "event undo":
            administrator.use_token(deletes=False)
        administrator.run(path, arguments)
        (line,) = administrator.said
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
    named = {row["action"]: row for row in rows}
    for path in ("event undo", "import"):
        assert (named[path]["store"], named[path]["details"]["plants"]) == ("nursery", 1)
    assert named["event undo"]["user"] == named["member add"]["user"]
    assert named["event undo"]["details"]["since"] < named["event undo"]["at"]
    assert named["link create"]["details"] == named["link revoke"]["details"]


def test_a_database_that_a_command_replaced_or_filled_says_so(administrator: Administrator) -> None:
    administrator.run("migrate", "")
    administrator.run("store create", "nursery")
    administrator.run("import", CHANGES["import"])
    administrator.run("backup", READS["backup"])
    administrator.run("restore", "{file}.backup --yes")
    administrator.run("copy", CHANGES["copy"])
    *_, restored = json.loads(administrator.run("audit list", "--json"))
    assert (restored["action"], restored["details"]["plants"]) == ("restore", 1)
    assert restored["details"]["backup"].endswith("plants.csv.backup")
    target = f"--database {administrator.database}.copy"
    (copied,) = json.loads(administrator.run(target, "audit list --json"))
    assert (copied["action"], copied["details"]["plants"]) == ("copy", 1)
    assert copied["details"]["source"] == administrator.database


def test_a_token_is_told_by_its_id(administrator: Administrator) -> None:
    administrator.run("migrate", "")
    token = administrator.run("token create", CHANGES["token create"]).splitlines()[-1]
    said = administrator.said.copy()
    administrator.run("token revoke", "{token}")
    for line in (*said, *administrator.said):
        assert f" store=nursery token_id={token_id_of(hash_token(token))} user=ada " in line
        assert token not in line


def test_what_changes_nothing_is_not_told(administrator: Administrator) -> None:
    administrator.run("migrate", "")
    for path in ("token create", "webhook create"):
        administrator.run(path, CHANGES[path])
    for path, arguments in (READS | {"migrate": ""}).items():
        administrator.run(path, arguments)
        assert administrator.said == []
    administrator.run("migrate", "--dry-run")
    assert administrator.said == []
