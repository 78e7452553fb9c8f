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
from tests.service import Service
from tests.waiting import wait_until


class Checkout:
    """A copy of the project, with environments of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = copy_project(folder)

    def start_set_up(self, kind: str, index: str | None = None) -> "subprocess.Popen[str]":
        """Start a set-up, with another index of packages."""
        environ = os.environ | {"PYTHON": sys.executable, "PIP_NO_COMPILE": "1"}
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
        with (self.folder / "requirements" / f"{kind}.txt").open("a") as pins:
            pins.write(requirement + "\n")


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    """A checkout; its environment of tools is empty, so that it is made at once."""
    made = Checkout(tmp_path / "Gärtnerei & Söhne")
    (made.folder / "requirements" / "tools.txt").write_text("# none\n")
    return made


@pytest.fixture
def silent_index() -> Iterator[socket.socket]:
    """A listener that answers nobody."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield listener


def address_of(listener: socket.socket) -> str:
    return f"http://127.0.0.1:{listener.getsockname()[1]}/simple"


def test_a_running_service_does_not_notice_set_ups(
    checkout: Checkout, tmp_path: Path, silent_index: socket.socket
) -> None:
    assert checkout.set_up()[0] == 0
    first = checkout.environments()
    program = checkout.folder / ".venv" / "bin" / "plantstore"
    with Service(tmp_path, command=(str(program),)) as service:
        with (checkout.folder / "pyproject.toml").open("a") as project:
            project.write("# changed\n")
        assert checkout.set_up(index=address_of(silent_index)) == (0, "")
        checkout.require("runtime", "# changed")
        assert checkout.set_up()[0] == 0
        assert checkout.environments() > first
        with service.client(None) as client:
            assert client.get("/docs").is_success
    assert checkout.set_up("tools")[0] == 0
    assert not checkout.environments() & first
    assert subprocess.run([program, "--version"], check=False).returncode == 0


def test_without_a_network_everything_stays_as_it_was(
    checkout: Checkout, silent_index: socket.socket
) -> None:
    index = address_of(silent_index)
    silent_index.close()
    (checkout.folder / ".venv-tools" / "bin").mkdir(parents=True)  # of somebody's own making
    assert checkout.set_up("tools")[0] == 0
    before = checkout.environments()
    assert checkout.set_up("tools", index) == (0, "")
    checkout.require("tools", "apsw")
    status, said = checkout.set_up("tools", index)
    assert status == 1
    assert "no connection to pypi.org, or the index that pip's settings name" in said
    assert "Connection refused" in said
    assert ".venv-tools is unchanged" in said
    assert checkout.environments() == before
    assert (checkout.folder / ".venv-tools" / "bin" / "pip").exists()


def test_an_interrupted_set_up_changes_nothing_and_says_nothing_more(
    checkout: Checkout, silent_index: socket.socket
) -> None:
    """While Python makes the environment, and while pip waits for packages."""
    with checkout.start_set_up("tools") as process:
        assert process.stderr
        assert process.stderr.readline().startswith("Setting up .venv-tools")
        folder = checkout.folder / ".venvs"
        wait_until(lambda: list(folder.glob("*/lib/*")))  # so Python runs
        os.killpg(process.pid, signal.SIGINT)
        assert process.stderr.read() == ""
    assert (process.returncode, checkout.environments()) == (130, set())
    assert checkout.set_up("tools")[0] == 0
    before = checkout.environments()
    checkout.require("tools", "apsw")
    process = checkout.start_set_up("tools", address_of(silent_index))
    with process, silent_index.accept()[0]:
        os.killpg(process.pid, signal.SIGINT)
        assert process.wait() == 130
    assert checkout.environments() == before
    assert (checkout.folder / ".venv-tools" / "bin" / "pip").exists()
