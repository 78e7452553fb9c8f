"""scripts/setup never breaks what runs: environments are made beside the old ones."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.checkout import copy_project
from tests.waiting import wait_until

# Makes a copy of an environment that was made before: Python takes four seconds to make one.
QUICK = """#!/bin/sh
if [ "$1 $2" = "-m venv" ]; then exec cp -a {made}/. "$3"; fi
exec {python} "$@"
"""


class Checkout:
    """A copy of the project, with environments of its own, of which that of tools is empty."""

    def __init__(self, folder: Path, python: str) -> None:
        self.folder = copy_project(folder)
        self.python = python
        self.require("tools", "")

    def start_set_up(self, kind: str, index: str | None = None) -> "subprocess.Popen[str]":
        """Start a set-up, with another index of packages."""
        environ = os.environ | {"PYTHON": self.python, "PIP_NO_COMPILE": "1"}
        if index:
            kept = {name: value for name, value in environ.items() if not name.startswith("PIP_")}
            own = {"PIP_CONFIG_FILE": os.devnull, "PIP_INDEX_URL": index, "PIP_RETRIES": "1"}
            environ = kept | own
        return subprocess.Popen(
            [self.folder / "scripts" / "setup", kind],
            env=environ,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,  # as a terminal's
        )

    def set_up(self, kind: str = "runtime", index: str | None = None) -> tuple[int, str]:
        """Set up; its exit status and what it said."""
        with self.start_set_up(kind, index) as process:
            _, said = process.communicate()
        return process.returncode, said

    def environments(self) -> set[str]:
        return {path.name for path in (self.folder / ".venvs").iterdir()}

    def require(self, kind: str, requirement: str) -> None:
        """Have no other requirement of a kind."""
        (self.folder / "requirements" / f"{kind}.txt").write_text(f"{requirement}\n")


@pytest.fixture
def quick_python(tmp_path: Path) -> str:
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "made"], check=True)
    quick = tmp_path / "python"
    quick.write_text(QUICK.format(made=tmp_path / "made", python=sys.executable))
    quick.chmod(0o755)
    return str(quick)


@pytest.fixture
def silent_index() -> Iterator[socket.socket]:
    """A listener that answers nobody."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield listener


def address_of(listener: socket.socket) -> str:
    return f"http://127.0.0.1:{listener.getsockname()[1]}/simple"


def test_what_is_interrupted_or_has_no_network_changes_nothing(
    tmp_path: Path, quick_python: str, silent_index: socket.socket
) -> None:
    """While Python makes the environment, while pip waits for packages, and without an answer."""
    checkout = Checkout(tmp_path / "Gärtnerei & Söhne", sys.executable)
    (checkout.folder / ".venv-tools" / "bin").mkdir(parents=True)  # of somebody's own making
    with checkout.start_set_up("tools") as process:
        assert process.stderr
        assert process.stderr.readline().startswith("Setting up .venv-tools")
        wait_until(lambda: list((checkout.folder / ".venvs").glob("*/lib/*")))  # so Python runs
        os.killpg(process.pid, signal.SIGINT)
        assert process.stderr.read() == ""
    assert (process.returncode, checkout.environments()) == (130, set())
    checkout.python, index = quick_python, address_of(silent_index)
    assert checkout.set_up("tools")[0] == 0
    before = checkout.environments()
    assert checkout.set_up("tools", index) == (0, "")
    checkout.require("tools", "apsw")
    process = checkout.start_set_up("tools", index)
    with process, silent_index.accept()[0]:
        os.killpg(process.pid, signal.SIGINT)
        assert process.wait() == 130
    assert checkout.environments() == before
    silent_index.close()
    status, said = checkout.set_up("tools", index)
    assert status == 1
    assert "no connection to pypi.org, or the index that pip's settings name" in said
    assert "Connection refused" in said
    assert ".venv-tools is unchanged" in said
    assert checkout.environments() == before
    assert (checkout.folder / ".venv-tools" / "bin" / "pip").exists()
