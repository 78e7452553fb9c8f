"""A service that prints a sign-in link, and a shell for the commands that it prints."""

import re
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import httpx

from tests.cli.program import PLANTSTORE, clean_environ
from tests.service import Service

CODE = re.compile(r"^  (http\S+)/#code=(\w+)$", re.MULTILINE)
COMMAND = re.compile(r"^  (.*plantstore'? .*(?:link|token) create --.*)$", re.MULTILINE)


class WelcomeService(Service):
    """``plantstore serve --welcome`` with its stdout in a file.

    ``program`` is the command that the shell runs.
    """

    def __init__(
        self,
        folder: Path,
        settings: Mapping[str, object] | None = None,
        program: tuple[str, ...] = PLANTSTORE,
        database: str | None = None,
    ) -> None:
        self._out = folder / "out.txt"
        script = f'exec "$@" --welcome >>{self._out}'
        command = ("sh", "-c", script, "sh", *program)
        super().__init__(folder, command=command, settings=settings, database=database)

    def launch(self) -> None:
        """Start the process with an empty output file."""
        self._out.write_text("")
        super().launch()

    def output(self) -> str:
        return self._out.read_text()

    def link(self) -> tuple[str, str]:
        """The address and the code of the only printed link."""
        ((address, code),) = CODE.findall(self.output())
        return address, code

    def commands(self) -> list[str]:
        return COMMAND.findall(self.output())


def run_in_new_shell(command: str, home: Path) -> str:
    """Run a command in a new shell and another folder; return its output."""
    result = subprocess.run(
        ["sh", "-c", command],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
        cwd="/",
        env=clean_environ(home),
    )
    return result.stdout


def redeem(address: str, code: str) -> Any:  # noqa: ANN401 - JSON
    """Redeem a link's code at the link's address; return the token."""
    return httpx.post(f"{address}/links/redeem", json={"code": code}).raise_for_status().json()
