"""scripts/setup creates an environment beside the old one, so a failure changes nothing."""

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

# Copies an existing environment: Python takes four seconds to create one.
QUICK = """#!/bin/sh
if [ "$1 $2" = "-m venv" ]; then exec cp -a {made}/. "$3"; fi
exec {python} "$@"
"""


class Checkout:
    """A copy of the project with its own environments; that of the tools is empty."""

    def __init__(self, folder: Path, python: str) -> None:
        self.folder = copy_project(folder)
        self.python = python
        self.require("tools", "")

    def start_set_up(self, kind: str, index: str | None = None) -> "subprocess.Popen[str]":
        """Start scripts/setup, maybe with another package index."""
        environ = os.environ | {"PYTHON": self.python, "PIP_NO_COMPILE": "1"}
        if index:
            inherited = {
                name: value for name, value in environ.items() if not name.startswith("PIP_")
            }
            own = {"PIP_CONFIG_FILE": os.devnull, "PIP_INDEX_URL": index, "PIP_RETRIES": "1"}
            environ = inherited | own
        return subprocess.Popen(
            [self.folder / "scripts" / "setup", kind],
            env=environ,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,  # as a terminal's
        )

    def set_up(self, kind: str = "runtime", index: str | None = None) -> tuple[int, str]:
        """Run scripts/setup; return its exit status and stderr."""
        with self.start_set_up(kind, index) as process:
            _, message = process.communicate()
        return process.returncode, message

    def environments(self) -> set[str]:
        return {path.name for path in (self.folder / ".venvs").iterdir()}

    def require(self, kind: str, requirement: str) -> None:
        """Make this the only requirement of a kind."""
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
    """A listener that never responds."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield listener


def address_of(listener: socket.socket) -> str:
    return f"http://127.0.0.1:{listener.getsockname()[1]}/simple"


def test_an_interrupted_or_offline_setup_changes_nothing(
    tmp_path: Path, quick_python: str, silent_index: socket.socket
) -> None:
    """Interrupted while Python creates the environment and while pip waits; and offline."""
    checkout = Checkout(tmp_path / "Gärtnerei & Söhne", sys.executable)
    (checkout.folder / ".venv-tools" / "bin").mkdir(parents=True)  # made by the user
    with checkout.start_set_up("tools") as process:
        assert process.stderr
        assert process.stderr.readline().startswith("Setting up .venv-tools")
        wait_until(lambda: list((checkout.folder / ".venvs").glob("*/lib/*")))  # Python is running
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
    status, message = checkout.set_up("tools", index)
    assert status == 1
    assert "no connection to pypi.org, or the index that pip's settings name" in message
    assert "Connection refused" in message
    assert ".venv-tools is unchanged" in message
    assert checkout.environments() == before
    assert (checkout.folder / ".venv-tools" / "bin" / "pip").exists()
