"""The blocks of docs/upgrade.md: rolling upgrades, and upgrades with a stop."""

import re
import shlex
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from tests.cli.program import Program
from tests.databases import ON_BOTH, SQLITE_ONLY, Kind
from tests.deploy.proxies import PORTS, proxy
from tests.deploy.test_rolling import Caller, calling, wait_until_called
from tests.docs.pages import read_blocks
from tests.next_version import MIGRATION, next_program
from tests.postgres.server import free_port
from tests.service import Service
from tests.waiting import wait_until

INSTALL, ROLLING, STOPPING, BACK, RESTORING = read_blocks("upgrade.md")


class Machine:
    """Two services that run the version behind a link, on a database of either kind."""

    def __init__(self, folder: Path, kind: Kind, url: str, migration: str) -> None:
        program = Program(folder, {"PLANTSTORE_DATABASE": url})
        newer = next_program(program, migration, kind.name)
        self.program, self.is_sqlite = program, kind.name == "sqlite"
        self._install("1.0.0", program)
        self._install("1.1.0", newer)
        (folder / "plantstore").symlink_to("plantstore-1.0.0")
        (folder / "backups").mkdir()
        command = (str(folder / "plantstore" / "bin" / "plantstore"),)
        self.services = {}
        for port in PORTS:
            (folder / str(port)).mkdir()
            settings = {"port": free_port(), "lame_duck": 1}
            self.services[str(port)] = Service(
                folder / str(port), database=url, settings=settings, command=command
            )

    def _install(self, version: str, program: Program) -> None:
        """Create what the pip commands install: a program in its own folder."""
        assert f"/opt/plantstore-{version}/bin/pip install" in INSTALL or version == "1.0.0"
        command = program.folder / f"plantstore-{version}" / "bin" / "plantstore"
        command.parent.mkdir(parents=True)
        path = shlex.quote(program.environ.get("PYTHONPATH", ""))
        python = shlex.quote(sys.executable)
        command.write_text(f'#!/bin/sh\nPYTHONPATH={path} exec {python} -m plantstore "$@"\n')
        command.chmod(0o755)

    def run(self, block: str, callers: list[Caller] | None = None) -> None:
        """Run a block line by line; ``systemctl`` is simulated."""
        for line in block.splitlines():
            if line.startswith("systemctl"):
                self._control(line, callers)
            elif self.is_sqlite or not line.startswith(("plantstore backup", "plantstore restore")):
                self.run_line(line)

    def run_line(self, line: str) -> str:
        """Run a line that must succeed; return its output."""
        folder = self.program.folder
        (*_, backup) = ["", *(path.name for path in (folder / "backups").iterdir())]
        script = re.sub("^plantstore", "/opt/plantstore/bin/plantstore", line)
        script = script.replace("plants-20301231T235959.123Z.db", f"{backup} --yes")
        script = script.replace("/var/backups/plantstore", str(folder / "backups"))
        result = self.program.in_shell(script.replace("/opt/", f"{folder}/"))
        if result.status:
            raise RuntimeError(result.err)
        return result.out

    def _control(self, line: str, callers: list[Caller] | None) -> None:
        for verb, instances in re.findall(r"systemctl (\w+)((?: plantstore@\d+)+)", line):
            for port in re.findall(r"@(\d+)", instances):
                service = self.services[port]
                if verb != "start":
                    assert service.stop() == 0
                if verb != "stop":
                    service.start()
                if callers:
                    wait_until_called(service, callers)


@contextmanager
def serving(machine: Machine) -> Iterator[tuple[str, str]]:
    """Run both services behind a proxy; yield its origin and a token."""
    with ExitStack() as stack:
        for service in machine.services.values():
            stack.enter_context(service)
        folder = machine.program.folder / "proxy"
        folder.mkdir()
        ports = {
            port: service.origin.rpartition(":")[2] for port, service in machine.services.items()
        }
        origin = stack.enter_context(proxy("haproxy", folder, ports, interval="200ms"))
        yield origin, service.make_token()


@ON_BOTH
def test_a_rolling_upgrade_and_rollback_fail_no_request(
    url: str, tmp_path: Path, database_kind: Kind
) -> None:
    machine = Machine(tmp_path, database_kind, url, f"-- compatible-since: 1\n{MIGRATION}")
    with serving(machine) as (origin, token), calling(token, origin) as callers:
        wait_until(lambda: all(caller.acknowledged for caller in callers))
        machine.run(ROLLING, callers)
        assert "the schema is up to date" in machine.run_line("plantstore migrate")
        machine.run(BACK, callers)
    assert machine.run_line("plantstore verify").startswith("ok: ")


@SQLITE_ONLY
def test_an_incompatible_upgrade_needs_a_stop_and_a_backup_undoes_it(
    url: str, tmp_path: Path, database_kind: Kind
) -> None:
    machine = Machine(tmp_path, database_kind, url, MIGRATION)
    first, *_ = machine.services.values()
    with serving(machine) as (origin, token):
        with first.client(token) as client:
            assert client.post(f"{origin}/plants", json={"id": 1, "name": "Fern"}).is_success
        with pytest.raises(RuntimeError, match="older programs cannot work with migration"):
            machine.run(ROLLING)
        machine.run(STOPPING)
        with first.client(token) as client:
            assert client.get("/plants").json() == [{"name": "Fern"}]
        machine.run(RESTORING)
        with first.client(token) as client:
            assert client.get("/plants").json() == [{"name": "Fern"}]
